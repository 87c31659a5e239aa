import { randomBytes } from 'node:crypto';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import { readConfig } from '../../config';
import { findChannel } from '../../store/channels/channels';
import { integrationTokens, listIntegrations } from '../../store/callers/integrations';
import { newToken } from '../../store/callers/tokens';
import { readMarkers } from '../../store/markers/markers';
import { rewire } from '../commit-order/rewire';
import type { Run } from './gdx-here';
import { startDesk, type Desk } from './start-desk';
import { setAside } from '../../store/deliveries/set-aside';
import { addTestChannel } from '../setup/add-test-channel';

let desk: Desk;

describe('gdx', () => {
  const unique = randomBytes(4).toString('hex');
  const [ACME, LATER, SHARED] = [`acme-${unique}`, `later-${unique}`, `shared-${unique}`];
  const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

  beforeAll(async () => {
    desk = await startDesk();
    await desk.pushTickets(3);
  });

  /** The same command for people and for programs. */
  async function both(...args: string[]): Promise<[people: Run, program: Run]> {
    const runs = await Promise.all([desk.gdx(args), desk.gdx([...args, '--json'])]);
    for (const run of runs) expect(run).toMatchObject({ exitCode: 0, stderr: expect.any(String) });
    return runs;
  }

  async function noToken(): Promise<never> {
    throw new Error('only gdx push and gdx listen have one');
  }

  const add = (slug: string, ...options: string[]) =>
    desk.gdx([
      ...['channel', 'add', slug, '--name', `Customer ${slug}`],
      ...[...(options.includes('--company') ? [] : ['--all-companies']), ...options],
    ]);

  describe('integrations', () => {
    it('are added with a token that opens, shown once, and listed without it', async () => {
      const company = ['--company-id', '42', '--company', 'Prairie Co-op'];
      const [people, program] = await both('integration', 'add', ...company);
      expect(people.stdout).toMatch(/^id {5}\S+\ntoken {2}gdx_erp_\w+\n$/);
      expect(people.stderr).toMatch(/shown only once/);
      expect(people.stderr).toMatch(/To be mailed [^]*: (http:\S+)\n  The guide: \1\/guide\/erp \(/);
      expect(people.stderr).not.toMatch(/gdx_erp_\w/); // mail is read by others
      const { id, token, ...rest } = program.json();
      expect(rest).toEqual({});
      expect(await integrationTokens.find(desk.store, token)).toMatchObject({
        _id: id,
        name: 'erp',
        company: { id: '42', name: 'Prairie Co-op' },
      });
      const [table, list] = await both('integration', 'list');
      expect(table.stdout.split('\n')).toHaveLength(4);
      expect(list.json().data).toContainEqual({
        id,
        name: 'erp',
        company_id: '42',
        company: 'Prairie Co-op',
        ...{ pushed_at: null, usually_within: null, silent: false, day_records: 0, day_warnings: 0 },
        created_at: expect.stringMatching(INSTANT),
        ...{ last_used_at: null, old_last_used_at: null, expires_at: null, erase_at: null },
        ...{ addresses: [], pass_fields: [] },
        time_zone: null,
        vendor: null,
      });
      expect(table.stdout + list.stdout).not.toContain('gdx_erp_');
    });

    it('under a company id of another name are refused, unless it is said that they are one company', async () => {
      const other = ['integration', 'add', '--company-id', '42', '--company', 'Valley Grain'];
      const refused = await desk.gdx(other);
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/company 42 is “Prairie Co-op”, not “Valley Grain”; .*--same-company/),
      ]);
      expect(JSON.stringify(await listIntegrations(desk.store))).not.toContain('Valley Grain');
      expect(await desk.gdx([...other, '--same-company'])).toMatchObject({ exitCode: 0 });
    });
  });

  describe('channels', () => {
    it('are added with key and secret shown once, a marker per type, and a workflow', async () => {
      const options = [
        ...'--base-url http://127.0.0.1:9/in/ --company 42 --company a.b --cadence 15m --page-size 2'.split(
          ' ',
        ),
        ...['--authorization', 'Basic abc', '--callback-origin', 'https://acme.example'],
      ];
      const added = await add(ACME, ...options, '--json');
      expect(added.stderr).toMatch(/shown only once/);
      expect(added.stderr).toMatch(
        /Your channel: .*, with a page of its own at (http:\S+)\/customer\n  The guide: \1\/guide\/customer \(/,
      );
      expect(added.stderr).not.toMatch(/gdx_channel_\w|whsec_/);
      expect(added.stderr).toMatch(/Scope all: .* farmers have nothing to choose/);
      const { slug, api_key, signing_secret, ...rest } = added.json();
      expect([slug, rest]).toEqual([ACME, { public_key: expect.stringMatching(/^whpk_/) }]);
      expect(api_key).toMatch(/^gdx_channel_/);
      expect(Buffer.from(signing_secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
      expect(await findChannel(desk.store, ACME)).toMatchObject({
        base_url: 'http://127.0.0.1:9/in',
        companies: ['42', 'a.b'],
        cadence_ms: 900_000,
        page_size: 2,
        scope: 'all',
        entity_types: ['accounts', 'contracts', 'tickets', 'settlements'],
        state: 'active',
        callback_origins: ['https://acme.example'],
      });
      expect(await desk.signals(ACME)).toEqual([]); // its workflow is there, and nobody signalled it
    });

    it('begin where --since says', async () => {
      const now = new Date().toISOString();
      const [everything, since] = await Promise.all([
        add(SHARED, '--base-url', 'https://shared.example', '--scope', 'subscribed'),
        add(LATER, '--base-url', 'https://later.example', '--since', 'now', '--entities', 'tickets,accounts'),
      ]);
      expect([everything.exitCode, since.exitCode]).toEqual([0, 0]);
      expect((await findChannel(desk.store, SHARED))!.cadence_ms).toBe(3_600_000); // every hour, as nothing else is said
      expect(everything.stdout).toMatch(/^slug .*\napi_key .*\nsigning_secret .*\npublic_key .*\n$/);
      // What is there already comes with an account's catch-up.
      expect(await positions(SHARED)).toEqual({ accounts: 0, contracts: 0, tickets: 3 });
      expect(await positions(LATER)).toEqual({ accounts: 0, tickets: 3 });

      const [early, late] = [`early-${unique}`, `late-${unique}`];
      const tickets = ['--base-url', 'https://e.example', '--entities', 'tickets'];
      await add(early, ...tickets, '--since', '2026-01-01T00:00:00Z');
      await add(late, ...tickets, '--since', now);
      expect([await positions(early), await positions(late)]).toEqual([{ tickets: 0 }, { tickets: 3 }]);
      await desk.store.db.collection<{ _id: string }>('channels').deleteMany({ _id: { $in: [early, late] } });
    });

    it('begin there with a type that is added later, too', async () => {
      const began = { all: [], early: ['--since', '2026-01-01T00:00:00Z'], late: ['--since', 'now'] };
      for (const [name, since] of Object.entries({ ...began, farmers: ['--scope', 'subscribed'] })) {
        const slug = `${name}-added-${unique}`;
        await add(slug, '--base-url', 'https://a.example', '--entities', 'accounts', ...since);
        expect(await desk.gdx(['channel', 'set', slug, '--entities', 'accounts,tickets'])).toMatchObject({
          exitCode: 0,
        });
        expect([name, await positions(slug)]).toEqual([
          name,
          { accounts: 0, tickets: name === 'late' || name === 'farmers' ? 3 : 0 },
        ]);
        await desk.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: slug });
      }
    });

    it('of production get keys of production', async () => {
      const read = { ...readConfig(desk.env), smsProvider: '', apiProblem: undefined, env: desk.env };
      const connections = createConnections(async () => ({ ...read, production: true }), noToken);
      expect(newToken('channel', await connections.store())).toMatch(/^gdx_channel_live_/);
      await connections.close();
      expect(newToken('channel', desk.store)).toMatch(/^gdx_channel_test_/);
    });

    it('are not there before their markers are', async () => {
      const store = rewire(desk.store, async ({ collection, run }) => {
        if (collection === 'markers') throw new Error('no primary');
        return run();
      });
      const settings = { ...readConfig(desk.env), smsProvider: '', apiProblem: undefined, env: desk.env };
      const connections = {
        ...createConnections(async () => settings, noToken),
        store: async () => store,
        preparedStore: async () => store,
      };
      const slug = `unbegun-${unique}`;
      const args = `channel add ${slug} --name A --base-url https://a.example --company 42`.split(' ');
      const program = await createProgram(connections, noToken);
      const adding = program.parseAsync(args, { from: 'user' });
      await expect(adding).rejects.toThrow('no primary');
      await connections.close();
      expect(await findChannel(desk.store, slug)).toBeNull();
    });

    test('are listed and shown with their state, and never with their secrets', async () => {
      const [table, list] = await both('channel', 'list');
      expect(table.stdout).toMatch(new RegExp(`^SLUG .*\n${ACME} +Customer .* active +all +42, a.b +15m `));
      expect(list.json().data.map((channel: { slug: string }) => channel.slug)).toEqual([
        ACME,
        LATER,
        SHARED,
      ]);
      const [facts, shown] = await both('channel', 'show', ACME);
      expect(facts.stdout).toMatch(/^state +active$/m);
      expect(facts.stdout).toMatch(/^authorization +set \(not shown\)$/m);
      expect(shown.json()).toMatchObject({
        slug: ACME,
        state: 'active',
        paused: null,
        cadence: '15m',
        page_size: 2,
        has_authorization: true,
        next_due: expect.stringMatching(INSTANT),
      });
      const everything = [table, list, facts, shown].map(({ stdout }) => stdout).join();
      expect(everything).not.toMatch(/whsec_|gdx_channel_|Basic/);
    });
  });

  describe('what is stored', () => {
    it('elevators, with nothing in a name that reaches the terminal', async () => {
      const [table, list] = await both('elevator', 'list', '--company-id', '42');
      expect(table.stdout).toMatch(/^42-100 +Casselton \\u001b\[31m +Casselton +- +\+17015550100 +- +2/m);
      expect(list.json().data).toEqual([
        expect.objectContaining({
          id: '42-100',
          elevator: expect.objectContaining({ name: 'Casselton \u001b[31m' }),
        }),
      ]);
    });

    it('a record: its place in the order, and its JSON as it is fed', async () => {
      const [people, program] = await both('record', 'show', 'tickets', '42-2');
      expect(people.stdout).toMatch(/^position +2\n/m);
      expect(people.stdout).toMatch(/\n\n\{\n {2}"ticket": \{\n {4}"id": "42-2",/);
      expect(program.json()).toMatchObject({
        id: '42-2',
        position: 2,
        account_ids: ['42-1001'],
        updated_at: expect.stringMatching(INSTANT),
        record: { ticket: { remote_id: '2', account: { id: '42-1001' }, net_weight: 42_180 } },
      });
    });

    it('settings, with secrets hidden', async () => {
      const secret = randomBytes(32).toString('base64');
      const changes = {
        GDX_SECRET_KEY: secret,
        MONGODB_URI: 'mongodb://gdx:hush@db.example/gdx?tls=true&tlsCertificateKeyFilePassword=hush',
        GDX_ALERT_WEBHOOK_URL: 'https://ops.example/hush',
        GDX_SMS_WEBHOOK_TOKEN: 'hush',
        GDX_TWILIO_AUTH_TOKEN: 'hush',
        GDX_SECRET_KEY_OLD: '',
        GDX_RECONCILE_SECOND: '3',
      };
      const [people, program] = await Promise.all([
        desk.gdx(['config'], changes),
        desk.gdx(['config', '--json'], changes),
      ]);
      expect(people.stdout).toMatch(/^NAME +VALUE +DEFAULT +MEANING\n/);
      expect(people.stdout).toContain('mongodb://gdx:(hidden)@db.example/gdx?tls=true&');
      expect(people.stdout).toContain('https://ops.example/(hidden)');
      const secretsShown = people.stdout
        .match(/^GDX_SECRET_KEY(?:_OLD)? +\S+/gm)!
        .map((row) => row.split(/ +/));
      expect(secretsShown).toMatchObject([
        ['GDX_SECRET_KEY', '(hidden)'],
        ['GDX_SECRET_KEY_OLD', '-'],
      ]);
      expect(people.stderr).toMatch(
        /^GDX_RECONCILE_SECOND is not a setting .* mean GDX_RECONCILE_SECONDS\?$/m,
      );
      expect(people.stdout + program.stdout).not.toContain('hush');
      expect(people.stdout + program.stdout).not.toContain(secret.slice(0, 20));
      expect(program.json().data).toContainEqual({
        name: 'LOG_LEVEL',
        value: 'info',
        default: 'info',
        meaning: expect.any(String),
      });
    });
  });

  async function positions(slug: string): Promise<Record<string, number>> {
    const markers = await readMarkers(desk.store, slug);
    return Object.fromEntries([...markers].map(([type, { position }]) => [type, position]));
  }
});

describe('set aside', () => {
  beforeAll(async () => {
    desk = await startDesk();
    await addTestChannel(desk.store, 'acme', 'http://127.0.0.1:9');
    const refused = {
      channel: 'acme',
      position: 1,
      failure: 'refused',
      status: 422,
      answer: 'no',
      delivery: 'd',
    } as const;
    for (const entity_type of ['contracts', 'tickets'] as const)
      for (const record of ['42-1', '42-2']) await setAside(desk.store, { ...refused, entity_type, record });
  });

  const release = async (...args: string[]) =>
    (await desk.gdx(['set-aside', 'release', 'acme', ...args, '--json'])).json();

  async function released(): Promise<string[]> {
    const { data } = (await desk.gdx(['set-aside', 'acme', '--json'])).json();
    const those = data.filter((one: { released_at: string | null }) => one.released_at !== null);
    return those.map((one: { entity_type: string; record: string }) => `${one.entity_type} ${one.record}`);
  }

  test('without a name, or with an empty one, nothing is released', async () => {
    const ends = async (...args: string[]) =>
      (await desk.gdx(['set-aside', 'release', 'acme', ...args, '--json'])).exitCode;
    expect([await ends(), await ends('--entity', 'tickets')]).toEqual([2, 2]);
    expect([await ends(''), await ends('', '--entity', 'tickets')]).toEqual([1, 1]);
    expect(await released()).toEqual([]);
  });

  test('what is named is released, of the type that is named, and nothing else', async () => {
    expect(await release('42-2', '--entity', 'tickets')).toEqual({ released: 1 });
    expect(await released()).toEqual(['tickets 42-2']);
    expect(await release('42-1')).toEqual({ released: 2 });
    expect(await released()).toEqual(['contracts 42-1', 'tickets 42-1', 'tickets 42-2']);
    await release('--all');
    expect(await released()).toHaveLength(4);
  });
});
