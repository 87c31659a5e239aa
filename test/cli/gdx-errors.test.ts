import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { addChannel, findChannel, type Channel } from '../../store/channels/channels';
import { createConnections } from '../../cli/connections';
import { readConfig } from '../../config';
import { temporaryFolder } from '../setup/temporary-folder';
import type { Run } from './gdx-here';
import { startDesk, type Desk } from './start-desk';
import { slowTest, nightlyTest } from '../setup/cases';
import type { ChildProcess } from 'node:child_process';
import { eventually } from '../setup/eventually';
import { openCliScene, type CliScene } from './open-cli-scene';
import { prepareStore } from '../../store/schema/prepare-store';
import { emptyStore } from '../setup/open-store';
import { serveHere } from '../setup/serve-here';

describe('gdx errors', () => {
  const ACME = `errors-${randomBytes(4).toString('hex')}`;
  const SETTINGS = {
    name: 'Acme',
    base_url: 'https://acme.example',
    scope: 'all' as const,
    companies: [],
    cadence_ms: 3_600_000,
    page_size: 1000,
    callback_origins: [],
    entity_types: ['tickets' as const],
  };
  const NOWHERE = '127.0.0.1:1';

  let desk: Desk;

  beforeAll(async () => {
    desk = await startDesk();
    await addChannel(desk.store, ACME, SETTINGS);
  });

  /** One line on stderr that ends with advice, and nothing on stdout. */
  function expectError(run: Run, exitCode: number, message: RegExp): void {
    expect([run.exitCode, run.stdout]).toEqual([exitCode, '']);
    expect(run.stderr).toMatch(/^gdx: [^\n]+; [^\n]+\n$/);
    expect(run.stderr).toMatch(message);
  }

  const CHANNEL = ['--name', 'Beta', '--base-url'];
  const RESET = ['marker', 'reset', ACME];

  it.each<[args: string[], exitCode: number, message: RegExp]>([
    [['chanel', 'list'], 2, /unknown command 'chanel' \(Did you mean channel\?\); /],
    [['channel', 'list', '--jsno'], 2, /Did you mean --json/],
    [
      ['integration', 'add', '--company-id', '4-2', '--company', 'X'],
      2,
      /letters, digits, dots or underscores; /,
    ],
    [['integration', 'list', 'everything'], 2, /too many arguments/],
    [['farmer', 'unlock', '70155501423'], 2, /value is invalid for argument 'phone'. Use ten digits/],
    [
      ['farmer', 'erase', "70155501'423", '--reason', 'letter'],
      2,
      /value is invalid for argument 'phone'. Use ten digits/,
    ],
    [['consents', 'verify', '--heads', 'not-there.log'], 2, /The file cannot be read \(ENOENT\)/],
    [['set-aside', 'release', ACME], 2, /name the records, or give --all/],
    [['channel', 'add', 'Acme', ...CHANNEL, 'https://a.example'], 2, /lower case letters/],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'http://10.0.0.1'],
      2,
      /points to 10\.0\.0\.1, a private address/,
    ],
    [['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--cadence', '25h'], 2, /1s to 24h/],
    [['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--entities', 'tickets,cows'], 2, /some of/],
    [['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--page-size', '0'], 2, /1 to 5000 records/],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--authorization', 'a\nb: c'],
      2,
      /argument is invalid.*visible ASCII/,
    ],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--header', 'X-Api-Key:'],
      2,
      /argument is invalid\. It gives X-Api-Key no value of 1 to 1,000 visible ASCII characters/,
    ],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--since', '2099-01-01T00:00:00Z'],
      2,
      /must not be more than 5 minutes ahead/,
    ],
    [
      ['channel', 'add', ACME, ...CHANNEL, 'https://a.example', '--company', '42'],
      1,
      /exists already; pick another slug/,
    ],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'https://a.example'],
      2,
      /say --company <id>, .* or --all-companies/,
    ],
    [
      ['channel', 'add', 'beta', ...CHANNEL, 'https://a.example', '--company', '42', '--all-companies'],
      2,
      /exclude each other/,
    ],
    [['channel', 'show', 'nobody'], 1, /there is no channel nobody; `gdx channel list`/],
    [['channel', 'pause', ACME], 2, /--reason/],
    [['channel', 'resume', 'nobody'], 1, /no channel nobody/],
    [['marker', 'show', 'nobody'], 1, /no channel nobody/],
    [
      [...RESET, 'accounts', '--timestamp', '2026-10-01T00:00:00Z'],
      1,
      /this channel carries only tickets; `gdx channel show/,
    ],
    [[...RESET, 'tickets', '--timestamp', '2026-02-30T00:00:00Z'], 2, /must be an RFC 3339/],
    [[...RESET, 'tickets', '--timestamp', '2015-12-31T23:59:59Z'], 2, /not be before 2016/],
    [['deliveries', ACME, '--limit', '201'], 2, /1 to 200/],
    [['record', 'show', 'tickets', '42-9'], 1, /no record 42-9 among the tickets; /],
    [['record', 'show', 'cows', '42-9'], 2, /accounts, contracts, tickets, settlements; /],
  ])('gdx %j ends with %i', async (args, exitCode, message) => {
    expectError(await desk.gdx(args), exitCode, message);
  });

  it('a group without a command shows its help and is a usage error', async () => {
    const run = await desk.gdx(['channel']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/^Usage: gdx channel /);
  });

  it('a wrong setting is a configuration error, and `gdx config` still lists the settings', async () => {
    const changes = { GDX_RETENTION_DAYS: '0' };
    const [list, config] = await Promise.all([
      desk.gdx(['channel', 'list'], changes),
      desk.gdx(['config'], changes),
    ]);
    expectError(list, 78, /GDX_RETENTION_DAYS/);
    expect([config.exitCode, config.stdout]).toEqual([78, expect.stringMatching(/^GDX_RETENTION_DAYS +0 /m)]);
  });

  nightlyTest('MongoDB that is away, or accepts and is silent, is reported soon', async () => {
    const silent = await listen(createServer(() => {}));
    const started = Date.now();
    const runs = await Promise.all(
      [NOWHERE, silent.address].map((address) =>
        desk.gdx(['channel', 'list', '--json'], { MONGODB_URI: `mongodb://${address}/gdx` }),
      ),
    );
    expect(Date.now() - started).toBeLessThan(25_000); // 5.3 s on an idle machine; the driver left alone takes 30
    for (const run of runs)
      expectError(run, 69, /MongoDB does not answer .*; start it, or check MONGODB_URI/);
    silent.server.close();
  });

  test('where neither settings nor a running npm start say which database is meant, none is opened', async () => {
    const read = readConfig({}, 'gdx', temporaryFolder('no-checkout'));
    expect([read.isGuessed, readConfig(desk.env).isGuessed]).toEqual([true, false]);
    const settings = { ...read, smsProvider: '', apiProblem: undefined, env: {} };
    const connections = createConnections(
      async () => settings,
      () => Promise.reject(new Error('no service is called')),
    );
    for (const open of [connections.store, connections.preparedStore, connections.temporal])
      await expect(open()).rejects.toMatchObject({
        ...{ message: expect.stringContaining('npm start is not running here'), exitCode: 69 },
      });
    await connections.close();
  });

  it('Temporal that is away stops what needs it, and only that', async () => {
    const away = { TEMPORAL_ADDRESS: NOWHERE };
    await addChannel(desk.store, 'busy', SETTINGS);
    const [deliver, reset, pause] = await Promise.all([
      desk.gdx(['channel', 'deliver', ACME], away),
      desk.gdx([...RESET, 'tickets', '--timestamp', '2026-10-01T00:00:00Z', '--json'], away),
      desk.gdx(['channel', 'pause', 'busy', '--reason', 'maintenance'], away),
    ]);
    expectError(deliver, 69, /Temporal at 127\.0\.0\.1:1 does not answer/);
    expect([reset.exitCode, reset.json().records]).toEqual([0, 0]);
    expect(reset.stderr).toMatch(/the reset holds all the same/);
    expect(pause).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/the pause holds all the same/),
    });
    expect((await findChannel(desk.store, 'busy'))?.state).toBe('paused');
  });

  it('a reader that has gone is no error', async () => {
    const run = await desk.gdxProcess(['config'], {}, (child) => child.stdout?.destroy());
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('EPIPE')]);
  });

  async function listen(server: Server): Promise<{ server: Server; address: string }> {
    await serveHere(server);
    const { port } = server.address() as { port: number };
    return { server, address: `127.0.0.1:${port}` };
  }
});

// The last: it removes a collection.
describe('recorded', () => {
  // What each command records is in commands.test.ts.

  let scene: CliScene;
  beforeAll(async () => {
    scene = await openCliScene();
  });
  afterAll(async () => {
    await prepareStore(await emptyStore()); // the next file has its database
  });

  slowTest(
    'a change that is killed between its record and its act stays recorded, without an outcome',
    async () => {
      const slug = await scene.addChannel();
      const session = scene.store.client.startSession();
      session.startTransaction();
      // The act waits for this lock; the record does not.
      const channels = scene.store.db.collection<Channel>('channels');
      await channels.updateOne({ _id: slug }, { $set: { contact: 'x' } }, { session });
      let killed: ChildProcess;
      const run = scene.gdxProcess(
        ['channel', 'rotate-key', slug, '--reason', 'killed'],
        {},
        (child) => (killed = child),
      );
      await eventually(async () => expect(await scene.recorded('killed')).toHaveLength(1));
      killed!.kill('SIGKILL');
      await run;
      await session.abortTransaction();
      await session.endSession();
      expect(await scene.recorded('killed')).toMatchObject([
        { action: 'channel rotate-key', channel: slug, outcome: null },
      ]);
    },
  );

  test('a change that is refused is recorded as not done', async () => {
    const slug = await scene.addChannel();
    const rotate = ['channel', 'rotate-key', slug];
    expect(await scene.gdx(rotate)).toMatchObject({ exitCode: 0 });
    expect(await scene.gdx([...rotate, '--reason', 'once more'])).toMatchObject({ exitCode: 1 });
    expect(await scene.recorded('once more')).toMatchObject([
      { before: { api_keys: 2 }, outcome: expect.stringMatching(/^Not done: two tokens live already/) },
    ]);
  });

  slowTest('no value of a secret is recorded', async () => {
    const slug = await scene.addChannel();
    const authorize = ['channel', 'set', slug, '--authorization'];
    await scene.gdx([...authorize, 'first-secret-value']);
    await scene.gdx([...authorize, 'second-secret-value', '--reason', 'theirs is new']);
    await scene.gdx(['channel', 'rotate-secret', slug]);
    expect(await scene.recorded('theirs is new')).toMatchObject([{ before: { authorization: true } }]);
    const kept = await scene.store.db.collection('operator_actions').find().toArray();
    expect(JSON.stringify(kept)).not.toMatch(/secret-value|whsec_|gdx_channel_/);
  });

  slowTest('a dry run says what would be done, and changes and records nothing', async () => {
    const counters = scene.store.db.collection<{ _id: string }>('counters');
    await counters.updateOne({ _id: 'tickets' }, { $set: { position: 1 } });
    await scene.store.db.dropCollection('token_uses');
    const before = await scene.fingerprint();
    const repair = await scene.gdx(['repair', 'counters', '--dry-run']);
    expect(repair.stdout).toMatch(/^1 counters are behind; without --dry-run they are raised$/m);
    const migrate = await scene.gdx(['migrate', '--dry-run']);
    expect(migrate.stdout).toMatch(/^would apply collections and indexes\n  collection token_uses$/m);
    expect(await scene.fingerprint()).toBe(before);
  });
});
