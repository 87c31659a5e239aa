import { randomBytes } from 'node:crypto';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/key-settings';
import { findChannel, openSecrets } from '../../store/feed/channels';
import { connectStore, closeStore } from '../../store/connect';
import { endDelivery } from '../setup/end-delivery';
import { SECRET_KEY } from '../setup/open-store-at';
import { startDesk, type Desk } from './start-desk';
import { slowTest } from '../setup/cases';

const ACME = `acme-${randomBytes(4).toString('hex')}`;

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
  await desk.gdx([
    'channel',
    'add',
    ACME,
    '--name',
    'Acme',
    '--base-url',
    'http://127.0.0.1:9',
    '--authorization',
    'k',
    '--all-companies',
  ]);
});
afterAll(() => desk.close([ACME]));

const ends = (failure: string | undefined, hours: number) =>
  endDelivery(desk.store, { channel: ACME, failure }, new Date(Date.now() + hours * 3_600_000));

slowTest('alerts are listed while they are open, and the channel says what fails', async () => {
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

  await ends(undefined, 25);
  expect((await desk.gdx(['alerts', '--json'])).json()).toEqual({ data: [] });
  const all = (await desk.gdx(['alerts', '--all', '--json'])).json().data;
  expect(all).toMatchObject([{ state: 'resolved', failing: [] }]);
});

test('the secret of the alerts is shown: the one set, else the one in use', async () => {
  const derived = (await desk.gdx(['alerts', '--secret', '--json'])).json().signing_secret;
  expect(derived).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const GDX_ALERT_SECRET = `whsec_${randomBytes(24).toString('base64')}`;
  const changes = { GDX_ALERT_SECRET, GDX_ALERT_WEBHOOK_URL: 'https://ops.example' };
  expect((await desk.gdx(['alerts', '--secret'], changes)).stdout).toContain(GDX_ALERT_SECRET);
  expect((await desk.gdx(['config'], changes)).stdout).not.toContain(GDX_ALERT_SECRET);
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
  expect(rotated.stdout).toMatch(/^old_until +\S+Z$/m);
  expect(await live()).toEqual([second, before]);
  const third = (await desk.gdx(['channel', 'rotate-secret', ACME, '--now', '--yes', '--json'])).json();
  expect(third).toMatchObject({ slug: ACME, old_until: null });
  expect(await live()).toEqual([third.signing_secret]);
  const nobody = await desk.gdx(['channel', 'rotate-secret', 'nobody']);
  expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringMatching(/no channel nobody/)]);
});

test('the customer’s own key is exchanged, and stands nowhere in the clear', async () => {
  const set = await desk.gdx(['channel', 'set', ACME, '--authorization', 'Bearer geheim', '--json']);
  expect([set.exitCode, set.json().has_authorization]).toEqual([0, true]);
  const channel = (await findChannel(desk.store, ACME))!;
  expect((await openSecrets(desk.store, channel, new Date())).authorization).toBe('Bearer geheim');
  expect(JSON.stringify(channel) + set.stdout + set.stderr).not.toContain('geheim');
});

test('secrets are sealed anew with another key; what cannot be opened is named', async () => {
  const key = randomBytes(32);
  const changes = { GDX_SECRET_KEY: key.toString('hex'), GDX_SECRET_KEY_OLD: SECRET_KEY.toString('base64') };
  const rewrap = (...args: string[]) => desk.gdx(['secrets', 'rewrap', ...args], changes);
  const dry = await rewrap('--dry-run');
  expect(dry.stdout).toMatch(/^keys +1 +3 +0$/m);
  const without = await desk.gdx(['secrets', 'rewrap'], { ...changes, GDX_SECRET_KEY_OLD: '' });
  expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('keys of key/hash')]);
  const done = await rewrap();
  expect([done.exitCode, done.stderr]).toEqual([0, expect.stringMatching(/no longer needed/)]);
  const again = (await rewrap('--json')).json();
  expect(again.data.find(({ kind }: { kind: string }) => kind === 'keys')).toEqual({
    kind: 'keys',
    current: 4,
    rewrapped: 0,
    unopened: [],
  });
  const uri = new URL(process.env.MONGODB_URI as string);
  uri.pathname = `/${desk.store.db.databaseName}`;
  const store = await connectStore({
    uri: uri.href,
    secretKey: key,
    customerKeys: DEVELOPMENT_CUSTOMER_KEYS,
    appName: 'gdx-test',
  });
  const { authorization } = await openSecrets(store, (await findChannel(store, ACME))!, new Date());
  await closeStore(store);
  expect(authorization).toBe('Bearer geheim');
});
