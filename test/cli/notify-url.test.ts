import { lastNotice } from '../../store/feed/customer-notices';
import { findChannel } from '../../store/feed/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { startDesk, type Desk } from './start-desk';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
  await addTestChannel(desk.store, 'acme', 'https://acme.example');
});
afterAll(() => desk.close([]));

const set = (url: string) => desk.gdx(['channel', 'set', 'acme', '--notify-url', url, '--json']);
const stored = async () => (await findChannel(desk.store, 'acme'))!.notify_url;

test('the operator sets a customer’s notification address and removes it; the customer is told first of itself', async () => {
  const done = await set('https://acme.example/hooks');
  expect([done.exitCode, JSON.parse(done.stdout).notify_url]).toEqual([0, 'https://acme.example/hooks']);
  expect(await lastNotice(desk.store, 'acme')).toMatchObject({ type: 'notifications.begun' });
  expect((await set('off')).exitCode).toBe(0);
  expect(await stored()).toBe('');
});

test.each(['acme.example', 'https://acme.example/?token=1', 'ftp://acme.example'])('not %s', async (url) => {
  const { exitCode, stderr } = await set(url);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/the notification address .*; correct --notify-url/),
  ]);
});
