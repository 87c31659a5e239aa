import { whyNotGenuine } from '../../docs/samples/verify-signature';
import { listActions } from '../../store/access/operator-actions';
import { findChannel } from '../../store/feed/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { startDesk, type Desk } from './start-desk';

let desk: Desk;
let before: FakeCustomer;
let other: FakeCustomer;
let signingSecret: string;

beforeAll(async () => {
  desk = await startDesk();
  [before, other] = await Promise.all([FakeCustomer.start(), FakeCustomer.start()]);
  ({ signingSecret } = await addTestChannel(desk.store, 'acme', before.baseUrl, {
    authorization: 'Basic abc',
  }));
  await addTestChannel(desk.store, 'open', before.baseUrl);
});
afterAll(async () => {
  await Promise.all([before.stop(), other.stop()]);
  await desk.close([]);
});
beforeEach(async () => {
  other.pages.length = 0;
  const channels = desk.store.db.collection<{ _id: string }>('channels');
  await channels.updateMany({}, { $set: { base_url: before.baseUrl } });
});

const move = (slug: string, ...more: string[]) =>
  desk.gdx(['channel', 'set', slug, '--base-url', other.baseUrl, ...more]);
const urlOf = async (slug: string) => (await findChannel(desk.store, slug))!.base_url;

test.each([404, 302])('a new base URL that answers %d is refused', async (status) => {
  other.script = () => ({ status, body: '' });
  const { exitCode, stderr } = await move('acme');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`answered ${status}.*--untested`)),
  ]);
  expect(await urlOf('acme')).toBe(before.baseUrl);
});

test('nobody there: refused', async () => {
  const gone = await FakeCustomer.start();
  await gone.stop();
  const run = await desk.gdx(['channel', 'set', 'acme', '--base-url', gone.baseUrl]);
  expect([run.exitCode, await urlOf('acme')]).toEqual([1, before.baseUrl]);
});

test('one that takes the test page is stored; the page is signed and carries no Authorization', async () => {
  other.script = () => ({ status: 204, body: '' });
  expect(await move('acme', '--authorization', 'Basic new')).toMatchObject({ exitCode: 0 });
  expect(await urlOf('acme')).toBe(other.baseUrl);
  expect(other.pages).toHaveLength(1);
  const { headers, body, records } = other.pages[0]!;
  expect([headers['authorization'], headers['x-gdx-test'], records]).toEqual([undefined, 'true', []]);
  const signed = {
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
  };
  expect(whyNotGenuine(signingSecret, signed, body)).toBeUndefined();
});

test('one that asks for the Authorization is a customer, where there is one', async () => {
  other.script = () => ({ status: 401, body: '' });
  expect(await move('acme')).toMatchObject({ exitCode: 0 });
  expect(await move('open')).toMatchObject({ exitCode: 1 });
});

test('the Authorization may come with the base URL that asks for it', async () => {
  await addTestChannel(desk.store, 'bare', before.baseUrl);
  other.script = () => ({ status: 401, body: '' });
  expect(await move('bare', '--authorization', 'Bearer x')).toMatchObject({ exitCode: 0 });
  expect([await urlOf('bare'), other.pages[0]!.headers['authorization']]).toEqual([other.baseUrl, undefined]);
});

test('--untested asks nobody, and is recorded', async () => {
  other.script = () => ({ status: 404, body: '' });
  expect(await move('acme', '--untested')).toMatchObject({ exitCode: 0 });
  expect([await urlOf('acme'), other.pages]).toEqual([other.baseUrl, []]);
  expect(await listActions(desk.store, 'acme', 1)).toMatchObject([
    { about: 'base_url, untested', before: { base_url: before.baseUrl } },
  ]);
});

test('the base URL that it has already is not tested', async () => {
  other.script = () => ({ status: 404, body: '' });
  await move('acme', '--untested');
  expect(await move('acme', '--cadence', '30m')).toMatchObject({ exitCode: 0 });
  expect(other.pages).toEqual([]);
});
