import { reachCustomer } from '../../cli/doctor/reach-customer';
import { findChannel } from '../../store/feed/channels';
import { slowTest } from '../setup/cases';
import { startDesk, type Desk } from './start-desk';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close(['changed']));

const add = (slug: string, ...options: string[]) =>
  desk.gdx(['channel', 'add', slug, '--name', 'Acme', '--all-companies', ...options]);
const stored = async (slug: string) => (await findChannel(desk.store, slug))!;

test('a channel is posted to or collected, never both, never neither', async () => {
  const both = await add('both', '--delivery', 'pull', '--base-url', 'http://127.0.0.1:1');
  expect(both.stderr).toMatch(/--base-url and --delivery pull exclude each other/);
  const neither = await add('neither');
  expect(neither.stderr).toMatch(/where do its pages go\?; say --base-url <url>, or --delivery pull/);
  expect((await add('other', '--delivery', 'fax')).stderr).toMatch(/Allowed choices are push, pull/);
  expect([both.exitCode, neither.exitCode]).toEqual([2, 2]);
  expect(await findChannel(desk.store, 'both')).toBeNull();
});

slowTest('one that is collected has no endpoint to post a test to, or to reach', async () => {
  expect((await add('collected', '--delivery', 'pull')).exitCode).toBe(0);
  const shown = (await desk.gdx(['channel', 'show', 'collected', '--json'])).json();
  expect(shown).toMatchObject({ delivery: 'pull', base_url: null });
  const tested = await desk.gdx(['channel', 'test', 'collected']);
  expect([tested.exitCode, tested.stderr]).toEqual([
    1,
    expect.stringMatching(/its customer tries `gdx listen/),
  ]);
  const found = await reachCustomer(await stored('collected'), {
    production: true,
    outboundAllow: [],
    outboundPorts: [443],
  });
  expect(found).toMatchObject({ status: 'ok', finding: 'collects its pages itself' });
});

test('can be changed to the other; posting needs an address', async () => {
  await add('changed', '--delivery', 'pull');
  const set = (...options: string[]) => desk.gdx(['channel', 'set', 'changed', '--json', ...options]);
  const nowhere = await set('--delivery', 'push');
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringMatching(/add --base-url/)]);
  expect(await stored('changed')).toMatchObject({ delivery: 'pull' });
  const pushed = await set('--delivery', 'push', '--base-url', 'http://127.0.0.1:9', '--untested');
  expect(pushed.json()).toMatchObject({ delivery: 'push', base_url: 'http://127.0.0.1:9' });
  // A delivery that waits for its page to be collected posts it now.
  expect(await desk.signals('changed')).toEqual(['deliverNow']);
  // The Retry-After of a post holds back nothing that is collected.
  expect((await set('--delivery', 'pull')).json()).toMatchObject({ delivery: 'pull' });
  expect((await set('--delivery', 'pull', '--cadence', '2h')).exitCode).toBe(0);
  expect(await desk.signals('changed')).toEqual(['deliverNow', 'deliverNow', 'settingsChanged']);
});
