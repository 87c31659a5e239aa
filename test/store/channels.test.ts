import {
  ChannelExists,
  findChannel,
  findChannelByKey,
  listChannels,
  openSecrets,
  pauseChannel,
  resumeChannel,
  setNotBefore,
  takeRun,
} from '../../store/channels';
import { closeStore, type Store } from '../../store/connect';
import { addIntegration, findIntegrationByToken, listIntegrations } from '../../store/integrations';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';

let store: Store;

beforeEach(async () => {
  store = await openStore();
});
afterEach(() => closeStore(store));

const acme = () => addTestChannel(store, 'acme', 'https://acme.example', { authorization: 'Bearer geheim' });

test('a channel is found by its slug and by its key, and by no other', async () => {
  const { apiKey } = await acme();
  expect(await findChannelByKey(store, apiKey)).toMatchObject({ _id: 'acme', state: 'active', run: 0 });
  const { apiKey: bells } = await addTestChannel(store, 'bell', 'https://bell.example');
  expect((await findChannelByKey(store, bells))?._id).toBe('bell');
  expect(
    await findChannelByKey(
      store,
      bells.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).toBeNull();
  expect(await findChannel(store, 'Acme')).toBeNull();
  expect((await listChannels(store)).map(({ _id }) => _id)).toEqual(['acme', 'bell']);
});

test('its secrets open for sending, and stand nowhere in the clear', async () => {
  const { channel, apiKey, signingSecret } = await acme();
  const stored = JSON.stringify(await store.db.collection('channels').findOne({}));
  for (const secret of [apiKey, signingSecret, 'geheim']) expect(stored).not.toContain(secret);
  expect(openSecrets(store, channel, new Date())).toEqual({
    authorization: 'Bearer geheim',
    signingSecrets: [signingSecret],
  });
  const [{ sealed }] = channel.signing_secrets as [{ sealed: Buffer }];
  const old = { ...channel, signing_secrets: [{ sealed, expires_at: new Date(0) }] };
  expect(openSecrets(store, old, new Date()).signingSecrets).toEqual([]);
});

test('a slug is taken once', async () => {
  await acme();
  await expect(acme()).rejects.toThrow(ChannelExists);
});

test('pause and resume; a resumed channel does not wait for what its customer once asked', async () => {
  await acme();
  await setNotBefore(store, 'acme', new Date(Date.now() + 60_000));
  expect(await pauseChannel(store, 'acme', 'audit')).toMatchObject({
    state: 'paused',
    paused: { reason: 'audit' },
  });
  const resumed = await resumeChannel(store, 'acme');
  expect([resumed?.state, resumed?.paused, resumed?.not_before]).toEqual(['active', undefined, undefined]);
  expect(await pauseChannel(store, 'nobody', 'x')).toBeNull();
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
