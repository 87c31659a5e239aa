import { randomBytes } from 'node:crypto';
import { findChannelByKey } from '../../store/feed/channels';
import { findIntegrationByToken } from '../../store/access/integrations';
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
  const { apiKey } = await addTestChannel(desk.store, ACME, 'http://127.0.0.1:9');
  const rotated = await json('channel', 'rotate-key', ACME, '--revoke-old');
  expect(await findChannelByKey(desk.store, apiKey)).toBeNull();
  expect(await findChannelByKey(desk.store, rotated.api_key)).toMatchObject({ _id: ACME });
  expect(await json('channel', 'revoke-key', ACME, '--all')).toEqual({ slug: ACME, revoked: 'all' });
  expect(await findChannelByKey(desk.store, rotated.api_key)).toBeNull();
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
