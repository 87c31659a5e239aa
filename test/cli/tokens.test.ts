import { randomBytes } from 'node:crypto';
import { readMarkers } from '../../store/markers/markers';
import { readCeilings } from '../../store/records/counters';
import { integrationTokens } from '../../store/callers/integrations';
import { checkLinks } from '../../cli/doctor/check-access';
import { readLink } from '../../api/farmer/read-link';
import { setChannel } from '../../store/channels/set-channel';
import { liveLinkKeys, newLinkKey, signedChannels } from '../../store/secrets/link-keys';
import { listActions } from '../../store/callers/operator-actions';
import { setOperatorAccess } from '../../store/channels/set-access';
import { noteTokenUse } from '../../store/callers/token-use';
import { hashToken } from '../../store/callers/tokens';
import { findChannel, channelKeys, openSecrets } from '../../store/channels/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { rewire } from '../commit-order/rewire';
import { readConfig } from '../../config';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import type { Run } from './gdx-here';
import { openNamedSession } from '../../store/sessions/page-sessions';
import { startDesk, type Desk } from './start-desk';
import { endDelivery } from '../setup/end-delivery';
import { databaseUriOf } from '../setup/open-store';
import { SECRET_KEY } from '../setup/open-store-at';
import { slowTest, nightlyTest } from '../setup/cases';
import { connectStoreAt } from '../setup/open-store-at';

let desk: Desk;

describe('tokens', () => {
  const ACME = `acme-${randomBytes(4).toString('hex')}`;
  const OF_FARMERS = [`signed-${ACME}`, `unsigned-${ACME}`] as const;
  const TWICE = `twice-${ACME}`;

  beforeAll(async () => {
    desk = await startDesk();
  });

  async function json(...args: string[]) {
    const run = await desk.gdx([...args, '--json']);
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.any(String) });
    return run.json();
  }

  function expectADay(end: string): void {
    const hours = (Date.parse(end) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
  }

  slowTest('an ERP’s token is exchanged, shown once, and ended', async () => {
    const added = await json('integration', 'add', '--company-id', '42', '--company', 'Prairie Co-op');
    const { id } = added;
    const rotated = await json('integration', 'rotate', id, '--keep-old', '7d');
    expect(rotated).toEqual({
      id,
      token: expect.stringMatching(/^gdx_erp_/),
      old_token_ends_at: expect.any(String),
    });
    expect(Date.parse(rotated.old_token_ends_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    for (const token of [added.token, rotated.token]) {
      expect(await integrationTokens.find(desk.store, token)).toMatchObject({ _id: id });
    }
    const third = await desk.gdx(['integration', 'rotate', id]);
    expect(third).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /two tokens live already.*; end it now by `gdx integration revoke .* --old`/,
      ),
    });

    expect(await json('integration', 'revoke', id, '--old')).toEqual({ id, revoked: 'old' });
    expect(await integrationTokens.find(desk.store, added.token)).toBeNull();
    await json('integration', 'revoke', id, '--all');
    expect(await integrationTokens.find(desk.store, rotated.token)).toBeNull();
    const people = await desk.gdx(['integration', 'rotate', id, '--revoke-old']);
    expect(people.stdout).toMatch(/^id .*\ntoken +gdx_erp_\w+\nold_token_ends_at +-\n$/);
  });

  test('a customer’s key is exchanged and ended', async () => {
    const { apiKey: first } = await addTestChannel(desk.store, ACME, 'http://127.0.0.1:9');
    const exchanged = await json('channel', 'rotate-key', ACME);
    expectADay(exchanged.old_api_key_ends_at);
    const { api_key: apiKey } = exchanged;
    await noteTokenUse(desk.store, hashToken(first));
    expect(await json('channel', 'show', ACME)).toMatchObject({
      key_last_used_at: null,
      old_key_last_used_at: expect.any(String),
    });
    expect(await json('channel', 'revoke-key', ACME, '--old')).toEqual({ slug: ACME, revoked: 'old' });
    expect(await channelKeys.find(desk.store, first)).toBeNull();
    expect(await channelKeys.find(desk.store, apiKey)).toMatchObject({ _id: ACME });
    const rotated = await json('channel', 'rotate-key', ACME, '--revoke-old');
    expect(await channelKeys.find(desk.store, apiKey)).toBeNull();
    expect(await channelKeys.find(desk.store, rotated.api_key)).toMatchObject({ _id: ACME });
    expect(await json('channel', 'revoke-key', ACME, '--all')).toEqual({ slug: ACME, revoked: 'all' });
    expect(await channelKeys.find(desk.store, rotated.api_key)).toBeNull();
  });

  slowTest('what a token is bound to is lifted again, one without the other', async () => {
    const { id } = await json('integration', 'add', '--company-id', '43', '--company', 'Valley Grain');
    const addresses = ['203.0.113.0/24'];
    const bound = await json('integration', 'set', id, '--expires', '90d', '--address', addresses[0]!);
    const own = { pass_fields: [], channels: [], time_zone: null };
    expect(bound).toEqual({ id, expires_at: expect.any(String), addresses, ...own });
    const set = (...options: string[]) => json('integration', 'set', id, ...options);
    expect(await set('--expires', 'never')).toEqual({ id, expires_at: null, addresses, ...own });
    await set('--expires', '90d');
    expect(await set('--address', 'any')).toMatchObject({ expires_at: expect.any(String), addresses: [] });
  });

  slowTest(
    'an ERP’s own fields are declared and left out again, and gdx says what that changes',
    async () => {
      const { id } = await json('integration', 'add', '--company-id', '45', '--company', 'Bluff Grain');
      const lender = `lender-${ACME}`;
      await addTestChannel(desk.store, lender, 'http://127.0.0.1:9', {
        scope: 'subscribed',
        companies: ['45'],
      });
      const set = (...options: string[]) => desk.gdx(['integration', 'set', id, ...options]);
      const pass = (field: string) => ['--pass-field', field];
      const both = await set(...pass('tickets.our_note'), ...pass('tickets.splits.our_bin'), '--json');
      expect(both.json()).toEqual({
        id,
        expires_at: null,
        addresses: [],
        pass_fields: ['tickets.our_note', 'tickets.splits.our_bin'],
        time_zone: null,
        channels: [lender],
      });
      const whatToDo =
        `The next page of ${lender} follows this. What these customers hold stays as it was sent; to send it again: ` +
        '`gdx resend <channel> <type> <ids...>`, or all of a type: `gdx marker reset <channel> <type> --timestamp 2016-01-01T00:00:00Z`.\n';
      expect(both.stderr).toBe(whatToDo);
      const fewer = await set('--withhold-field', 'tickets.our_note');
      expect([fewer.exitCode, fewer.stderr]).toEqual([0, whatToDo]);
      expect(fewer.stdout).toMatch(/^pass_fields +tickets\.splits\.our_bin$/m);
      const again = await set(...pass('tickets.splits.our_bin'), '--expires', '90d');
      expect([again.exitCode, again.stderr]).toEqual([0, '']);
      const listed = (await json('integration', 'list')).data.find((one: { id: string }) => one.id === id);
      expect(listed).toMatchObject({
        pass_fields: ['tickets.splits.our_bin'],
        expires_at: expect.any(String),
      });
      const actions = (await json('actions', '--limit', '3')).data;
      expect(actions.map(({ before }: { before: object }) => before)).toEqual([
        expect.objectContaining({ pass_fields: ['tickets.splits.our_bin'] }),
        expect.objectContaining({ pass_fields: ['tickets.our_note', 'tickets.splits.our_bin'] }),
        expect.objectContaining({ pass_fields: [] }),
      ]);
    },
  );

  test.each([
    [
      ['--withhold-field', 'tickets.our_note'],
      1,
      /tickets\.our_note is not declared; `gdx integration list`/,
    ],
    [['--pass-field', 'tickets.net_weight'], 2, /net_weight' is invalid. The service knows this field .*; /],
    [
      ['--pass-field', 'our_note'],
      2,
      /'our_note' is invalid. Use a type and a name, like tickets\.our_note.*; /,
    ],
    [[], 2, /nothing to change.*--pass-field/],
  ] as const)('what is not declared so is refused: %j', async (options, exitCode, problem) => {
    const { id } = await json('integration', 'add', '--company-id', '46', '--company', 'Glen Grain');
    const run = await desk.gdx(['integration', 'set', id, ...options]);
    expect([run.exitCode, run.stderr]).toEqual([exitCode, expect.stringMatching(problem)]);
  });

  test('whoever is signed out is signed in nowhere, and others still are', async () => {
    for (const name of ['Ida Moss', 'Eve Moss', 'Ida Moss'])
      await openNamedSession(desk.store, { name, role: 'read' });
    expect(await json('operator', 'sign-out', 'Ida Moss')).toMatchObject({ ended: 2 });
    expect((await json('operator', 'sessions')).data).toMatchObject([{ name: 'Eve Moss', by: 'provider' }]);
  });

  slowTest(
    'an ERP that is silent is listed so, with the token that it used, and watched until its last token is revoked',
    async () => {
      const added = await json('integration', 'add', '--company-id', '44', '--company', 'Hill Grain');
      const { id } = added;
      const activity = desk.store.db.collection<{ _id: string }>('push_activity');
      const listed = async () =>
        (await json('integration', 'list')).data.find((one: { id: string }) => one.id === id);
      const silentFrom = (ms: number) =>
        activity.updateOne({ _id: id }, { $set: { silent_at: new Date(Date.now() + ms) } }, { upsert: true });
      await silentFrom(60_000);
      expect(await listed()).toMatchObject({ silent: false, last_used_at: null, old_last_used_at: null });
      expect((await desk.gdx(['integration', 'check', id])).stderr).toBe(
        'Nothing is wrong with these records.\n',
      );
      await silentFrom(-1);
      expect(await json('integration', 'check', id)).toMatchObject({
        checked: { accounts: 0, tickets: 0 },
        findings: [{ name: 'silent', count: 1, examples: [`integration ${id}`], mend: expect.any(String) }],
      });
      expect((await desk.gdx(['integration', 'check', id])).stdout).toMatch(
        /^\nsilent: 1 has pushed .*\n  such as  integration .*\n  so that  .*\n  to mend  .*\n$/m,
      );
      await json('integration', 'rotate', id);
      await noteTokenUse(desk.store, hashToken(added.token));
      expect(await listed()).toMatchObject({
        silent: true,
        last_used_at: null,
        old_last_used_at: expect.any(String),
      });
      await json('integration', 'revoke', id, '--old');
      expect(await listed()).toMatchObject({ silent: true });
      await json('integration', 'revoke', id, '--all');
      expect(await listed()).toMatchObject({ silent: false });
    },
  );

  test('a customer’s link key is exchanged: for a day links of before open too, until none is needed', async () => {
    const { _id } = (await findChannel(desk.store, ACME))!;
    const first = await json('channel', 'link-key', _id);
    const second = await json('channel', 'link-key', _id);
    expectADay(second.old_link_key_ends_at);
    const live = () => liveLinkKeys(desk.store, _id, new Date());
    expect(await live()).toEqual([second.link_key, first.link_key]);
    const third = await json('channel', 'link-key', _id, '--revoke-old');
    expect([third.old_link_key_ends_at, await live()]).toEqual([null, [third.link_key]]);
    await setChannel(desk.store, _id, { callback_origins: ['https://acme.example'] });
    const channels = desk.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id }, { $set: { scope: 'subscribed' } });
    const made = await json('channel', 'link', _id, '--partner-id', 'policy-1', '--phone', '(701) 555-0142');
    const { search } = new URL(made.link);
    expect(await readLink(desk.store, search.slice(1))).toMatchObject({
      link: { channel: _id, partner_id: 'policy-1', callback_url: 'https://acme.example' },
      phone: '7015550142',
    });
    const [recorded] = await listActions(desk.store, _id, 1);
    expect(recorded).toMatchObject({ action: 'channel link', via: 'gdx', outcome: 'Done.' });
    expect(JSON.stringify(recorded)).not.toMatch(/policy-1|555-?0142/);
    expect(await readLink(desk.store, search.slice(1).replace('policy-1', 'policy-2'))).toMatchObject({
      refused: 'unsigned',
    });
    expect(await json('channel', 'link-key', _id, '--remove')).toEqual({ slug: _id, removed: true });
    expect(await live()).toBeUndefined();
  });

  const PURPOSE = '--purpose en=Insurance --purpose es=Seguro --passes-on nobody';

  test('in production links to farmers are signed from the first on, or somebody has said that they are not', async () => {
    const production = {
      ...{ NODE_ENV: 'production', GDX_OPERATOR: 'Ada', GDX_CLOSED_NETWORK: 'of a test' },
      ...{
        GDX_SECRET_KEY: randomBytes(32).toString('base64'),
        GDX_SECRET_KEY_OLD: SECRET_KEY.toString('base64'),
      },
      GDX_CUSTOMER_SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    const add = async (slug: string, ...more: string[]) => {
      const words = `--name Acme --base-url https://acme.example --all-companies --scope subscribed --json ${PURPOSE}`;
      const run = await desk.gdx(['channel', 'add', slug, ...words.split(' '), ...more], production);
      expect(run).toMatchObject({ exitCode: 0, stderr: expect.any(String) });
      return run.json().link_key;
    };
    const [signed, unsigned] = OF_FARMERS;
    expect(await add(signed)).toMatch(/^gdx_link_/);
    await newLinkKey(desk.store, unsigned, 0); // of a try that failed
    expect(await add(unsigned, '--unsigned-links')).toBeUndefined();
    expect(await signedChannels(desk.store, [signed, unsigned])).toEqual(new Set([signed]));
    expect((await listActions(desk.store, unsigned, 1))[0]!.about).toMatch(/, unsigned links$/);
    const channels = [await findChannel(desk.store, signed), await findChannel(desk.store, unsigned)];
    expect(
      await checkLinks(
        desk.store,
        channels.flatMap((one) => one ?? []),
      ),
    ).toMatchObject([{ part: 'links', status: 'warn', fix: expect.stringContaining(unsigned) }]);
  });

  test('of two who add one channel at the same moment one is told so, and nothing of the other’s changes', async () => {
    const words = `channel add ${TWICE} --name Acme --base-url https://acme.example --all-companies --scope subscribed ${PURPOSE}`;
    const secretKey = randomBytes(32);
    const production = {
      ...{ NODE_ENV: 'production', GDX_OPERATOR: 'Ada', GDX_CLOSED_NETWORK: 'of a test' },
      GDX_SECRET_KEY: secretKey.toString('base64'),
      GDX_SECRET_KEY_OLD: SECRET_KEY.toString('base64'),
      GDX_CUSTOMER_SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    let first: Promise<Run> | undefined;
    const store = rewire(desk.store, async ({ collection, method, run }) => {
      const found = await run();
      // The second has seen that the slug is free.
      if (collection === 'channels' && method === 'findOne')
        await (first ??= desk.gdx([...words.split(' '), '--json'], production));
      return found;
    });
    const env = { ...desk.env, GDX_OPERATOR: 'Bea' };
    const read = { ...readConfig(env), smsProvider: '', apiProblem: undefined, env };
    const noToken = () => Promise.reject(new Error('no service is called'));
    const connections = {
      ...createConnections(async () => ({ ...read, production: true }), noToken),
      store: async () => store,
      preparedStore: async () => store,
    };
    await desk.pushTickets(3);
    const later = [...words.split(' '), '--since', '2026-01-01T00:00:00Z'];
    const second = (await createProgram(connections, noToken)).parseAsync(later, { from: 'user' });
    await expect(second).rejects.toMatchObject({
      ...{ name: 'CliError', exitCode: 1, message: `channel ${TWICE} exists already` },
      advice: expect.stringMatching(/^pick another slug/),
    });
    await connections.close();
    const printed = await first!;
    const opens = { ...desk.store, secretKey, oldSecretKeys: [SECRET_KEY] };
    expect(printed).toMatchObject({ exitCode: 0, stderr: expect.any(String) });
    expect(await liveLinkKeys(opens, TWICE, new Date())).toEqual([printed.json().link_key]);
    const { tickets } = await readCeilings(desk.store);
    expect(tickets).toBeGreaterThan(0);
    expect((await readMarkers(desk.store, TWICE)).get('tickets')?.position).toBe(tickets);
  });

  test('an operator looks on, unless it is said that they act', async () => {
    const names = [`Ada ${ACME}`, `Bea ${ACME}`];
    await json('operator', 'add', names[0]!);
    await json('operator', 'add', names[1]!, '--role', 'operate');
    const { data } = await json('operator', 'list');
    const roleOf = (name: string) => data.find((one: { name: string }) => one.name === name).role;
    expect(names.map(roleOf)).toEqual(['read', 'operate']);
  });

  test('in production nobody changes anything without saying who they are', async () => {
    const run = await desk.gdx(['operator', 'add', 'Ada'], {
      ...{ NODE_ENV: 'production', MONGODB_URI: 'mongodb://mongo.example:1/gdx?serverSelectionTimeoutMS=1' },
      ...{ GDX_CLOSED_NETWORK: 'one host', GDX_SECRET_KEY: randomBytes(32).toString('base64') },
      GDX_CUSTOMER_SECRETS_KEY: randomBytes(32).toString('base64'),
    });
    expect(run).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/who changes something; set GDX_OPERATOR/),
    });
  });

  test('what an operator changes is recorded under their name, which their token or they themselves say', async () => {
    const [name, look] = [`Cleo ${ACME}`, `Dan ${ACME}`];
    const { token } = await json('operator', 'add', name, '--role', 'operate');
    const { token: reads } = await json('operator', 'add', look);
    const set = (...more: string[]) => [
      'operator',
      'set',
      look,
      '--expires',
      '9d',
      '--reason',
      name,
      ...more,
    ];
    expect((await desk.gdx(set(), { GDX_OPERATOR_TOKEN: token })).exitCode).toBe(0);
    expect((await desk.gdx(set(), { GDX_OPERATOR: 'Eve' })).exitCode).toBe(0);
    const recorded = (await listActions(desk.store, undefined, 9)).filter(({ reason }) => reason === name);
    expect(recorded.map(({ by }) => by)).toEqual(['Eve', name]);
    const { data } = await json('operator', 'list');
    const listed = Object.fromEntries(data.map((one: { name: string }) => [one.name, one]));
    expect(listed[name]).toMatchObject({ last_used_at: expect.any(String), expires_at: null });
    expect(listed[look]).toMatchObject({ last_used_at: null, expires_at: expect.any(String) });
    expect(await desk.gdx(set(), { GDX_OPERATOR_TOKEN: reads })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/may look and not act/),
    });
    await setOperatorAccess(desk.store, name, { expires_at: new Date(0) });
    expect(await desk.gdx(set(), { GDX_OPERATOR_TOKEN: token })).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/opens nothing: expired/),
    });
  });

  test.each([
    [['integration', 'rotate', 'nobody'], 1, /no integration nobody/],
    [['integration', 'revoke', 'nobody', '--old'], 1, /no integration nobody/],
    [['channel', 'rotate-key', 'nobody'], 1, /no channel nobody/],
    [['channel', 'revoke-key', 'nobody', '--all'], 1, /no channel nobody/],
    [['integration', 'revoke', 'x'], 2, /--old or --all/],
    [['integration', 'revoke', 'x', '--old', '--all'], 2, /--old or --all/],
    [['integration', 'rotate', 'x', '--keep-old', '31d'], 2, /1m to 30d/],
  ])('gdx %j says what is wrong', async (args, exitCode, line) => {
    const run = await desk.gdx(args);
    expect(run).toMatchObject({ exitCode, stderr: expect.stringMatching(line) });
  });
});

describe('alerts and secrets', () => {
  const ACME = `acme-${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    desk = await startDesk();
    const add = '--name Acme --base-url http://127.0.0.1:9 --authorization k --all-companies'.split(' ');
    await desk.gdx(['channel', 'add', ACME, ...add]);
  });

  const ends = (failure: string | undefined, hours: number) =>
    endDelivery(desk.store, { channel: ACME, failure }, new Date(Date.now() + hours * 3_600_000));

  nightlyTest('alerts are listed while they are open, and the channel says what fails', async () => {
    expect((await desk.gdx(['alerts'])).stderr).toBe('No alert is open.\n');
    await ends('unauthorized', 0);
    const [table, json, list, show] = await Promise.all([
      desk.gdx(['alerts']),
      desk.gdx(['alerts', ACME, '--json']),
      desk.gdx(['channel', 'list']),
      desk.gdx(['channel', 'show', ACME]),
    ]);
    expect(table.stdout).toMatch(
      new RegExp(`^${ACME} +unauthorized +open +\\S+Z +tickets +1 +Acme answered 401: check`, 'm'),
    );
    expect(json.json().data).toEqual([
      {
        id: `${ACME}/unauthorized/1`,
        channel: ACME,
        integration: null,
        class: 'unauthorized',
        state: 'open',
        failing: ['tickets'],
        message: 'Acme answered 401: check the channel’s authorization',
        opened_at: expect.any(String),
        last_failed_at: expect.any(String),
        resolved_at: null,
        notices: [{ notice: 'opened', at: expect.any(String), sent_at: null, message: expect.any(String) }],
      },
    ]);
    expect(list.stdout).toMatch(/ unauthorized +http/);
    expect(show.stdout).toMatch(/^failing +unauthorized since 2\S+Z$/m);

    await ends('unauthorized', 24);
    const paused = await desk.gdx(['channel', 'show', ACME]);
    expect(paused.stdout).toMatch(
      /^paused_because +Acme answered 401 for 24 hours: check .*, then gdx channel resume acme-/m,
    );
    await desk.gdx(['channel', 'resume', ACME]);
    const resumed = await desk.gdx(['channel', 'show', ACME, '--json']);
    expect(resumed.json()).toMatchObject({ state: 'active', paused: null, failing: null });

    await ends('unauthorized', 24.5);
    const again = (await desk.gdx(['channel', 'show', ACME, '--json'])).json();
    expect(again.failing.failure_since).toBe(json.json().data[0].opened_at);

    await ends(undefined, 25);
    expect((await desk.gdx(['alerts', '--json'])).json()).toEqual({ data: [] });
    const all = (await desk.gdx(['alerts', '--all', '--json'])).json().data;
    expect(all).toMatchObject([{ state: 'resolved', failing: [] }]);
    expect((await desk.gdx(['alerts', '--all'])).stdout).toMatch(
      /RESOLVED_AT +RESOLVED_BECAUSE\n.* \S+Z +Acme(?: Crop Insurance)? confirms tickets again\n/,
    );
  });

  test('the secret of the alerts is shown: the one set, else the one in use', async () => {
    const derived = (await desk.gdx(['alerts', '--secret', '--json'])).json().signing_secret;
    expect(derived).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const GDX_ALERT_SECRET = `whsec_${randomBytes(24).toString('base64')}`;
    const changes = { GDX_ALERT_SECRET, GDX_ALERT_WEBHOOK_URL: 'https://ops.example' };
    expect((await desk.gdx(['alerts', '--secret'], changes)).stdout).toContain(GDX_ALERT_SECRET);
    expect((await desk.gdx(['config'], changes)).stdout).not.toContain(GDX_ALERT_SECRET);
  });

  test('a test of the webhook says where no webhook is set', async () => {
    const alone = await desk.gdx(['alerts', 'test']);
    const set = await desk.gdx(['alerts', 'test'], { GDX_ALERT_WEBHOOK_URL: 'https://ops.example' });
    const says = expect.stringContaining('GDX_ALERT_WEBHOOK_URL is not set here');
    expect([alone.stderr, set.stderr]).toEqual([says, expect.not.stringContaining('is not set here')]);
  });

  const live = async () =>
    (await openSecrets(desk.store, (await findChannel(desk.store, ACME))!, new Date())).signingSecrets;

  slowTest('a signing secret is exchanged, with a day of both or at once', async () => {
    const [before] = await live();
    const rotated = await desk.gdx(['channel', 'rotate-secret', ACME]);
    expect(rotated.stderr).toMatch(/shown only once/);
    const second = /^signing_secret +(whsec_\S+)$/m.exec(rotated.stdout)?.[1];
    const publicKey = /^public_key +(whpk_\S+)$/m.exec(rotated.stdout)?.[1];
    const shown = (await desk.gdx(['channel', 'show', ACME, '--json'])).json();
    expect(shown.public_keys).toEqual([publicKey, expect.stringMatching(/^whpk_/)]);
    expect((await desk.gdx(['channel', 'show', ACME])).stdout).toMatch(
      /^public_keys +whpk_\S+ \(from 2\S+Z current\), whpk_\S+ \(from 2\S+Z until 2\S+Z\)$/m,
    );
    expect(shown.all_keys).toMatchObject([
      { public_key: publicKey, until: null },
      { until: rotated.stdout.match(/old_until +(\S+)/)![1] },
    ]);
    expect(rotated.stdout).toMatch(/^old_until +\S+Z$/m);
    expect(await live()).toEqual([second, before]);
    const third = (await desk.gdx(['channel', 'rotate-secret', ACME, '--now', '--yes', '--json'])).json();
    expect(third).toMatchObject({ slug: ACME, old_until: null });
    expect(await live()).toEqual([third.signing_secret]);
    const nobody = await desk.gdx(['channel', 'rotate-secret', 'nobody']);
    expect(nobody).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/no channel nobody/) });
  });

  test('the customer’s own key is exchanged, and stands nowhere in the clear', async () => {
    const set = await desk.gdx(['channel', 'set', ACME, '--authorization', 'Bearer geheim', '--json']);
    expect([set.exitCode, set.json().has_authorization]).toEqual([0, true]);
    const channel = (await findChannel(desk.store, ACME))!;
    expect((await openSecrets(desk.store, channel, new Date())).authorization).toBe('Bearer geheim');
    expect(JSON.stringify(channel) + set.stdout + set.stderr).not.toContain('geheim');
  });

  // The last: other keys seal the secrets of this file’s store then.
  test('secrets are sealed anew with another key; what cannot be opened is named', async () => {
    const key = randomBytes(32);
    const changes = {
      GDX_SECRET_KEY: key.toString('hex'),
      GDX_SECRET_KEY_OLD: SECRET_KEY.toString('base64'),
    };
    const rewrap = (...args: string[]) => desk.gdx(['secrets', 'rewrap', ...args], changes);
    const dry = await rewrap('--dry-run');
    expect(dry.stdout).toMatch(/^keys +1 +3 +0$/m);
    const without = await desk.gdx(['secrets', 'rewrap'], { ...changes, GDX_SECRET_KEY_OLD: '' });
    expect(without).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('keys of key/hash') });
    const done = await rewrap();
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/no longer needed/) });
    const again = (await rewrap('--json')).json();
    expect(again.data.find(({ kind }: { kind: string }) => kind === 'keys')).toEqual({
      kind: 'keys',
      current: 4,
      rewrapped: 0,
      unopened: [],
    });
    const store = await connectStoreAt(databaseUriOf(desk.store), { keys: { secretKey: key } });
    const { authorization } = await openSecrets(store, (await findChannel(store, ACME))!, new Date());
    expect(authorization).toBe('Bearer geheim');
  });
});
