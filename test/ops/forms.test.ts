import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { findChannel } from '../../store/feed/channels';
import { listActions } from '../../store/access/operator-actions';
import { addTestChannel } from '../setup/add-test-channel';
import { type OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';

let ops: Ops;
let maria: OpsBrowser;
let other: OpsBrowser;

beforeAll(async () => {
  ops = await startOps();
  await addTestChannel(ops.store, 'acme', 'https://acme.example');
  maria = await ops.signedIn();
  other = await ops.signedIn();
  for (const browser of [maria, other]) await browser.get('/ops/channels/acme');
});
afterAll(() => ops.stop());

const FORMS = ROUTES.filter(({ method, path }) => method === 'POST' && path.startsWith('/ops')).map(
  ({ path }) => path.replace(':channel_slug', 'acme'),
);
const csrfOn = ({ page }: OpsBrowser) => / name="csrf" value="([^"]*)"/.exec(page.html)![1]!;

const form = (csrf: string) =>
  new URLSearchParams({
    csrf,
    reason: 'because',
    form: randomUUID(),
    which: 'all',
    token: ops.token,
    entity_type: 'tickets',
    timestamp: '2026-10-01T00:00:00Z',
  }).toString();

test('every form of the table is tried', () => expect(FORMS).toHaveLength(9));

describe.each(FORMS)('%s changes nothing', (path) => {
  test.each<[string, () => string, Record<string, string>, number]>([
    ['without a token of its page', () => form(''), {}, 403],
    ['with a token that nobody made', () => form(Buffer.alloc(64).toString('base64url')), {}, 403],
    ['with the token of another session', () => form(csrfOn(other)), {}, 403],
    ['from another site', () => form(csrfOn(maria)), { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another origin', () => form(csrfOn(maria)), { origin: 'https://evil.example' }, 403],
    ['as JSON', () => '{}', { 'content-type': 'application/json' }, 400],
  ])('%s', async (_, body, headers, status) => {
    const twin = maria.twin();
    const answer = await twin.follow('POST', path, body(), headers);
    expect([answer.status, twin.cookies.get('gdx-ops')]).toEqual([status, maria.cookies.get('gdx-ops')]);
    expect(ops.signals).toEqual([]);
    expect(await listActions(ops.store, 'acme', 9)).toEqual([]);
    expect((await findChannel(ops.store, 'acme'))!.state).toBe('active');
    expect((await maria.twin().get('/ops')).status).toBe(200);
  });
});

test('a form without its id cannot be read', async () => {
  const body = new URLSearchParams({ csrf: csrfOn(maria), reason: 'because', form: '1' }).toString();
  expect((await maria.twin().follow('POST', '/ops/channels/acme/pause', body)).status).toBe(400);
  expect((await findChannel(ops.store, 'acme'))!.state).toBe('active');
});
