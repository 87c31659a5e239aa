import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { signedLink } from '../../docs/samples/sign-link';
import { LINK_PARTS } from '../../domain/link-signature';
import { newLinkKey, removeLinkKeys } from '../../store/access/link-keys';
import { rewire } from '../commit-order/rewire';
import { runTool } from '../setup/run-tool';
import { addFarmersChannel, linkTo, startFarmers, type Farmers } from './start-farmers';
import { textOf } from './visitor';

const LINK: Record<(typeof LINK_PARTS)[number], string> = {
  callback_url: 'https://acme.example/back?a=1&b=2',
  display_name: 'Acme & Søns “Crop” 🌾',
  partner_id: 'policy 1/2+3=&%',
  partner_slug: 'acme',
  phone: '7015550142',
};

let farmers: Farmers;
let key: string;
beforeAll(async () => {
  farmers = await startFarmers();
  await addFarmersChannel(farmers, 'other');
  const channels = farmers.store.db.collection<{ _id: string }>('channels');
  await channels.updateOne({ _id: 'acme' }, { $set: { contact: '1-800-555-0100' } });
});
afterAll(() => farmers.stop());
beforeEach(async () => {
  await removeLinkKeys(farmers.store, 'acme');
  ({ linkKey: key } = await newLinkKey(farmers.store, 'acme', 0));
  for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
});

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
const link = (changes: Partial<typeof LINK> = {}, { expires = inSeconds(3_600), by = key } = {}) =>
  signedLink('/subscriptions', by, [...LINK_PARTS.map((part) => ({ ...LINK, ...changes })[part]), expires]);

/** With one parameter as it is given here, under the signature of another. */
function changed(name: string, value: string, of = link()): string {
  const query = new URLSearchParams(of.split('?')[1]);
  query.set(name, value);
  return `/subscriptions?${query}`;
}

async function expectRefused(address: string, title: string): Promise<void> {
  const { status, text, headers } = await farmers.ask('GET', address);
  expect({ address, status, cookie: headers['set-cookie'] }).toEqual({
    address,
    status: 403,
    cookie: undefined,
  });
  const said = textOf(text);
  expect(said).toContain(title);
  expect(said).toContain('Ask Acme Crop Insurance for a new one. Call Acme Crop Insurance: 1-800-555-0100.');
  expect(said).not.toMatch(/policy|Søns/);
  for (const name of ['sessions', 'attempt_counts'])
    expect([name, await farmers.store.db.collection(name).countDocuments()]).toEqual([name, 0]);
}

const opens = async (address: string) => (await farmers.ask('GET', address)).headers['location'];
const DISTRUSTED = 'This link cannot be trusted';

test('a signed link opens the page', async () => {
  expect(await opens(link())).toBe('/subscriptions/phone');
});

test('an unsigned one is refused, where the channel has a key', async () => {
  await expectRefused(linkTo(), DISTRUSTED);
  expect(await opens(linkTo({ partner_slug: 'other' }))).toBe('/subscriptions/phone');
  await removeLinkKeys(farmers.store, 'acme');
  expect(await opens(linkTo())).toBe('/subscriptions/phone');
  expect(await opens(link())).toBe('/subscriptions/phone'); // so that the customer can begin to sign before
});

test.each([
  ['callback_url', 'https://acme.example/other'],
  ['display_name', 'Acme'],
  ['partner_id', 'policy-2'],
  ['phone', '7015550199'],
  ['expires', '9999999999'],
  ['expires', ''],
  ['signature', ''],
  ['signature', 'f'.repeat(64)],
])('%s changed to %j: refused', (name, value) => expectRefused(changed(name, value), DISTRUSTED));

test('the signature of another key or of another channel’s link is refused', async () => {
  await expectRefused(link({}, { by: 'gdx_link_of-somebody-else' }), DISTRUSTED);
  await expectRefused(changed('partner_slug', 'acme', link({ partner_slug: 'other' })), DISTRUSTED);
});

test('a line feed cannot move the border between two values', async () => {
  const of = link({ display_name: 'Acme', partner_id: 'x' });
  await expectRefused(changed('display_name', 'Acme\nx', of), DISTRUSTED);
  expect(() => link({ display_name: 'Acme\nx' })).toThrow('without line feeds');
});

test('a repeated parameter is refused', async () => {
  await expectRefused(`${link()}&expires=9999999999`, DISTRUSTED);
});

test('a link that is over says so; clocks may be five minutes apart', async () => {
  await expectRefused(link({}, { expires: inSeconds(-302) }), 'This link has expired');
  await expectRefused(changed('expires', inSeconds(-302)), DISTRUSTED); // not even when it was over
  expect(await opens(link({}, { expires: inSeconds(-295) }))).toBe('/subscriptions/phone');
});

test('the key of yesterday signs as long as it is kept, and the one before no more', async () => {
  const first = key;
  const { linkKey: second, old_link_key_ends_at } = await newLinkKey(farmers.store, 'acme', 86_400_000);
  expect((old_link_key_ends_at!.getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
  for (const by of [first, second]) expect(await opens(link({}, { by }))).toBe('/subscriptions/phone');
  const { linkKey: third } = await newLinkKey(farmers.store, 'acme', 60_000);
  expect(await opens(link({}, { by: third }))).toBe('/subscriptions/phone');
  await farmers.store.db
    .collection('link_keys')
    .updateMany({}, { $set: { 'keys.1.expires_at': new Date() } });
  for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
  for (const by of [first, second]) await expectRefused(link({}, { by }), DISTRUSTED);
});

const SAMPLES: [string, string[]][] = [
  ['TypeScript', [process.execPath, '--import', 'tsx', 'sign-link.ts']],
  ['Python', ['python3', 'sign-link.py']],
];

// The other languages are for `npm run test:tools`.
test.each(SAMPLES.slice(0, process.env.GDX_TOOLS ? undefined : 1))('the sample in %s', async (name, run) => {
  const [program = '', ...rest] = run;
  runTool([program, '--version'], { install: `${name} is needed to run its sample` });
  const args = [...rest.slice(0, -1), path.join(__dirname, '../../docs/samples', rest.at(-1)!)];
  const values = [...LINK_PARTS.map((part) => LINK[part]), inSeconds(60)];
  const env = { ...process.env, LINK_KEY: key };
  const { stdout } = spawnSync(program, [...args, '/subscriptions', ...values], { env, encoding: 'utf8' });
  expect(await opens(stdout.trim())).toBe('/subscriptions/phone');
});

test('of two keys made at the same time both sign, as each was shown to somebody', async () => {
  let meanwhile: string | undefined;
  const store = rewire(farmers.store, async ({ method, run }) => {
    const read = await run();
    if (method === 'findOne') meanwhile ??= (await newLinkKey(farmers.store, 'acme', 60_000)).linkKey;
    return read;
  });
  const { linkKey } = await newLinkKey(store, 'acme', 60_000);
  for (const by of [linkKey, meanwhile!]) expect(await opens(link({}, { by }))).toBe('/subscriptions/phone');
});
