import { ROUTES } from '../../api/routes';
import { hashToken } from '../../store/access/tokens';
import {
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type ApiAnswer,
  type Api,
} from './start-api';

// Every route that needs a token comes from the table itself: a new one is checked without being named here.
const GUARDED = ROUTES.filter(({ caller }) => caller === 'integration' || caller === 'channel').map(
  ({ method, path, caller }) => ({ method, caller, path: path.replace(':entity_type', 'tickets') }),
);

let api: Api;
let tokens: { integration: string; channel: string; revoked: string };

beforeAll(async () => {
  api = await startApi();
  const revoked = await integrationToken(api.store, { id: '7', name: 'Valley Grain' });
  await api.store.db.collection('integrations').deleteOne({ token_hashes: hashToken(revoked) });
  tokens = {
    integration: await integrationToken(api.store),
    channel: await channelKey(api.store, 'acme'),
    revoked,
  };
  const first = {
    token: tokens.integration,
    headers: { 'x-request-id': 'first' },
    body: pushOf([]),
  };
  await api.ask('POST', '/api/v1/push', first);
});
afterAll(() => api.stop());

function askAs(
  authorization: string | undefined,
  route: (typeof GUARDED)[number],
  slug = 'acme',
): Promise<ApiAnswer> {
  const path = route.path.replace(':channel_slug', slug).replace(':request_id', 'first');
  return api.ask(route.method, path, {
    ...(authorization === undefined ? {} : { token: authorization }),
    ...(route.method === 'POST' ? { body: {} } : {}),
  });
}

test('the table has guarded routes of both kinds', () => {
  expect(new Set(GUARDED.map(({ caller }) => caller))).toEqual(new Set(['integration', 'channel']));
});

describe.each(GUARDED)('$method $path', (route) => {
  const right = () => tokens[route.caller as 'integration' | 'channel'];
  const wrongKind = () => tokens[route.caller === 'channel' ? 'integration' : 'channel'];

  test.each<[string, () => string | undefined]>([
    ['no token', () => undefined],
    ['an empty one', () => 'Bearer '],
    ['garbage', () => 'let me in'],
    ['Basic', () => `Basic ${Buffer.from(right()).toString('base64')}`],
    ['two tokens', () => `${right()} ${right()}`],
    ['one letter wrong', () => right().slice(0, -1) + (right().endsWith('0') ? '1' : '0')],
    ['well formed and unknown', () => tokens.revoked],
    ['the other kind', wrongKind],
    ['the stored hash', () => hashToken(right())],
    ['a blank that does not break behind it', () => `${right()}\u00a0`],
    ['the bytes of a mark around it', () => `\u00e2\u0080\u00ad${right()}\u00e2\u0080\u00ac`],
  ])('401 for %s', async (_, authorization) => {
    const answer = await askAs(authorization(), route);
    expectError(answer, 401, 'UNAUTHENTICATED');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    const { request_id: _id, ...body } = answer.json;
    expect(body).toEqual({
      code: 'UNAUTHENTICATED',
      message:
        'A valid token is needed in the Authorization header, alone or after Bearer, and no other character.',
    });
  });

  test.each(['', 'Bearer ', 'bearer '])('the token itself works as "%s<TOKEN>"', async (scheme) => {
    expect([401, 404]).not.toContain((await askAs(scheme + right(), route)).status);
  });
});

describe.each(GUARDED.filter(({ caller }) => caller === 'channel'))(
  '$method $path of another channel',
  (route) => {
    test('is answered like a channel that does not exist', async () => {
      await channelKey(api.store, `other-${GUARDED.indexOf(route)}`);
      const foreign = await askAs(tokens.channel, route, `other-${GUARDED.indexOf(route)}`);
      const answers = [foreign];
      for (const slug of ['nobody', '%E0%A4%A', '%00', 'acme%2F', 'ACME', 'acme%20', '..%2facme']) {
        answers.push(await askAs(tokens.channel, route, slug));
      }
      for (const answer of answers) {
        expectError(answer, 404, 'NOT_FOUND');
        expect(answer.json.message).toBe(foreign.json.message);
      }
    });
  },
);

test('the log says of a token with another character beside it that it is not one alone', async () => {
  const [route] = GUARDED;
  api.lines.length = 0;
  await askAs(`${tokens.integration}\u00a0`, route!);
  await askAs(undefined, route!);
  const refused = api.lines.flatMap((line) => line['refused'] ?? []);
  expect(refused).toEqual(['not a token alone', 'no token']);
});

test('records belong to the company of the token, whatever the body says', async () => {
  const body = pushOf([{ id: '1', name: 'Meyer Farms', company_id: '7' }]);
  expect((await api.ask('POST', '/api/v1/push', { token: tokens.integration, body })).status).toBe(204);
  const stored = await api.store.db.collection('accounts').find().toArray();
  expect(stored.map(({ _id, company_id }) => [_id, company_id])).toEqual([['42-1', '42']]);
});
