import { randomBytes } from 'node:crypto';
import { findIntegrationByToken } from '../../store/access/integrations';
import { liveLinkKeys } from '../../store/access/link-keys';
import { noteTokenUse } from '../../store/access/token-use';
import { hashToken } from '../../store/access/tokens';
import { findChannel, findChannelByKey } from '../../store/feed/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { startDesk, type Desk } from './start-desk';

const ACME = `acme-${randomBytes(4).toString('hex')}`;
let desk: Desk;

beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close([]));

async function json(...args: string[]) {
  const run = await desk.gdx([...args, '--json']);
  expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
  return run.json();
}

function expectADay(end: string): void {
  const hours = (Date.parse(end) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThanOrEqual(24);
}

test('an ERP’s token is exchanged, shown once, and ended', async () => {
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
    expect(await findIntegrationByToken(desk.store, token)).toMatchObject({ _id: id });
  }
  const third = await desk.gdx(['integration', 'rotate', id]);
  expect([third.exitCode, third.stderr]).toEqual([
    1,
    expect.stringMatching(/two tokens live already.*--old/),
  ]);

  expect(await json('integration', 'revoke', id, '--old')).toEqual({ id, revoked: 'old' });
  expect(await findIntegrationByToken(desk.store, added.token)).toBeNull();
  await json('integration', 'revoke', id, '--all');
  expect(await findIntegrationByToken(desk.store, rotated.token)).toBeNull();
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
  expect(await findChannelByKey(desk.store, first)).toBeNull();
  expect(await findChannelByKey(desk.store, apiKey)).toMatchObject({ _id: ACME });
  const rotated = await json('channel', 'rotate-key', ACME, '--revoke-old');
  expect(await findChannelByKey(desk.store, apiKey)).toBeNull();
  expect(await findChannelByKey(desk.store, rotated.api_key)).toMatchObject({ _id: ACME });
  expect(await json('channel', 'revoke-key', ACME, '--all')).toEqual({ slug: ACME, revoked: 'all' });
  expect(await findChannelByKey(desk.store, rotated.api_key)).toBeNull();
});

test('what a token is bound to is lifted again, one without the other', async () => {
  const { id } = await json('integration', 'add', '--company-id', '43', '--company', 'Valley Grain');
  const addresses = ['203.0.113.0/24'];
  const bound = await json('integration', 'set', id, '--expires', '90d', '--address', addresses[0]!);
  expect(bound).toEqual({ id, expires_at: expect.any(String), addresses });
  const set = (...options: string[]) => json('integration', 'set', id, ...options);
  expect(await set('--expires', 'never')).toEqual({ id, expires_at: null, addresses });
  await set('--expires', '90d');
  expect(await set('--address', 'any')).toEqual({ id, expires_at: expect.any(String), addresses: [] });
});

test('an ERP that is silent is listed so, with the token that it used, and watched until its last token is revoked', async () => {
  const added = await json('integration', 'add', '--company-id', '44', '--company', 'Hill Grain');
  const { id } = added;
  const activity = desk.store.db.collection<{ _id: string }>('push_activity');
  const listed = async () =>
    (await json('integration', 'list')).data.find((one: { id: string }) => one.id === id);
  const silentFrom = (ms: number) =>
    activity.updateOne({ _id: id }, { $set: { silent_at: new Date(Date.now() + ms) } }, { upsert: true });
  await silentFrom(60_000);
  expect(await listed()).toMatchObject({ silent: false, last_used_at: null, old_last_used_at: null });
  await silentFrom(-1);
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
});

test('a customer’s link key is exchanged: for a day links of before open too, until none is needed', async () => {
  const { _id } = (await findChannel(desk.store, ACME))!;
  const first = await json('channel', 'link-key', _id);
  const second = await json('channel', 'link-key', _id);
  expectADay(second.old_link_key_ends_at);
  const live = () => liveLinkKeys(desk.store, _id, new Date());
  expect(await live()).toEqual([second.link_key, first.link_key]);
  const third = await json('channel', 'link-key', _id, '--revoke-old');
  expect([third.old_link_key_ends_at, await live()]).toEqual([null, [third.link_key]]);
  expect(await json('channel', 'link-key', _id, '--remove')).toEqual({ slug: _id, removed: true });
  expect(await live()).toBeUndefined();
});

test('an operator looks on, unless it is said that they act', async () => {
  const names = [`Ada ${ACME}`, `Bea ${ACME}`];
  await json('operator', 'add', names[0]!);
  await json('operator', 'add', names[1]!, '--role', 'operate');
  const { data } = await json('operator', 'list');
  const roleOf = (name: string) => data.find((one: { name: string }) => one.name === name).role;
  expect(names.map(roleOf)).toEqual(['read', 'operate']);
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
  expect([run.exitCode, run.stderr]).toEqual([exitCode, expect.stringMatching(line)]);
});
