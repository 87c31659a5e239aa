import {
  channelPages,
  ChannelExists,
  findChannel,
  findChannelByKey,
  limitPageSize,
  listChannels,
  openSecrets,
  pageSizeOf,
  pauseChannel,
  resumeChannel,
  takeRun,
} from '../../store/feed/channels';
import { setChannel } from '../../store/feed/set-channel';
import type { Store } from '../../store/store';
import {
  addIntegration,
  companyNames,
  findIntegrationByToken,
  listIntegrations,
} from '../../store/access/integrations';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';

let store: Store;

beforeEach(async () => {
  store = await emptyStore();
});

const acme = () => addTestChannel(store, 'acme', 'https://acme.example', { authorization: 'Bearer geheim' });

test('a channel is found by its slug and by its key, and by no other', async () => {
  const { apiKey } = await acme();
  expect(await findChannelByKey(store, apiKey)).toMatchObject({ _id: 'acme', state: 'active', run: 0 });
  const { apiKey: ours } = await addTestChannel(store, 'bison', 'https://bison.example');
  expect((await findChannelByKey(store, ours))?._id).toBe('bison');
  expect(
    await findChannelByKey(
      store,
      ours.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).toBeNull();
  expect(await findChannel(store, 'Acme')).toBeNull();
  expect((await listChannels(store)).map(({ _id }) => _id)).toEqual(['acme', 'bison']);
});

test('page by page every channel is seen once, also where a page is just full', async () => {
  const slugs = ['acme', 'bison', 'credit', 'hail'];
  for (const slug of slugs) await addTestChannel(store, slug, 'https://acme.example');
  for (const size of [1, 2, 3, 4, 5]) {
    const pages = [];
    for await (const page of channelPages(store, size)) pages.push(page.map(({ _id }) => _id));
    expect(pages.flat()).toEqual(slugs);
    expect(pages.every(({ length }) => length <= size)).toBe(true);
  }
});

test('its secrets open for sending, and stand nowhere in the clear', async () => {
  const { channel, apiKey, signingSecret } = await acme();
  const stored = JSON.stringify(await store.db.collection('channels').findOne({}));
  for (const secret of [apiKey, signingSecret, 'geheim']) expect(stored).not.toContain(secret);
  expect(await openSecrets(store, channel, new Date())).toEqual({
    authorization: 'Bearer geheim',
    signingSecrets: [signingSecret],
    signingKeys: [expect.stringMatching(/^whsk_/)],
  });
  const [{ sealed }] = channel.signing_secrets as [{ sealed: Buffer }];
  const old = { ...channel, signing_secrets: [{ sealed, expires_at: new Date(0) }] };
  expect((await openSecrets(store, old, new Date())).signingSecrets).toEqual([]);
});

test('a slug is taken once', async () => {
  await acme();
  await expect(acme()).rejects.toThrow(ChannelExists);
});

test('pause and resume', async () => {
  await acme();
  const paused = new Date();
  expect(await pauseChannel(store, 'acme', 'audit')).toMatchObject({
    state: 'paused',
    paused: { reason: 'audit' },
  });
  const resumed = await resumeChannel(store, 'acme');
  expect([resumed?.state, resumed?.paused]).toEqual(['active', undefined]);
  expect(resumed!.fresh_at!.getTime()).toBeGreaterThanOrEqual(paused.getTime()); // its time begins anew
  expect(await pauseChannel(store, 'nobody', 'x')).toBeNull();
});

test('the reason of a pause is kept without phones', async () => {
  await acme();
  const paused = await pauseChannel(store, 'acme', 'asked by Dale, 701-555-0142');
  expect(paused?.paused?.reason).toMatch(/^asked by Dale/);
  expect(paused?.paused?.reason).not.toContain('0142');
});

test('a page size learnt from a 413 doubles every six hours, up to the one that is set', async () => {
  const { channel } = await acme();
  const at = new Date();
  const learnt = { ...channel, page_size: 1_000, page_limit: { records: 100, at } };
  const after = (hours: number) => pageSizeOf(learnt, at.getTime() + hours * 3_600_000);
  expect([-1, 0, 5.9, 6, 12, 18, 24, 500].map(after)).toEqual([100, 100, 100, 200, 400, 800, 1_000, 1_000]);
  expect(pageSizeOf({ ...channel, page_size: 1_000 }, Date.now())).toBe(1_000);
});

test('a page size that is set ends what was learnt; another setting does not', async () => {
  await acme();
  await limitPageSize(store, 'acme', 100);
  const now = Date.now();
  expect(pageSizeOf((await setChannel(store, 'acme', { cadence_ms: 60_000 }))!, now)).toBe(100);
  expect(pageSizeOf((await setChannel(store, 'acme', { page_size: 700 }))!, now)).toBe(700);
});

test('every run has a number of its own', async () => {
  await acme();
  const runs = await Promise.all([1, 2, 3, 4].map(() => takeRun(store, 'acme')));
  expect(runs.sort()).toEqual([1, 2, 3, 4]);
});

test('an integration is found by its token, which is not stored', async () => {
  const { integration, token } = await addIntegration(store, { name: 'agris', company: COMPANY });
  expect(await findIntegrationByToken(store, token)).toEqual(integration);
  expect(JSON.stringify(await listIntegrations(store))).not.toContain(token);
  const { apiKey } = await acme();
  expect(await findIntegrationByToken(store, apiKey)).toBeNull();
});

test('a company has the name that its newest integration gives it', async () => {
  for (const [index, name] of ['Prairie Elevator', 'Prairie Co-op'].entries()) {
    const { integration } = await addIntegration(store, { name: 'agris', company: { ...COMPANY, name } });
    const created_at = new Date(Date.UTC(2026, index));
    await store.db
      .collection<{ _id: string }>('integrations')
      .updateOne({ _id: integration._id }, { $set: { created_at } });
  }
  await addIntegration(store, { name: 'agris', company: { id: '43', name: 'Valley Grain' } });
  expect(await companyNames(store, ['42'])).toEqual(new Map([['42', 'Prairie Co-op']]));
});
