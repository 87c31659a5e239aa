import {
  accounts,
  expectError,
  hearingSignals,
  integrationToken,
  pushOf,
  startApi,
  storeAway,
} from './start-api';
import { newToken } from '../../store/callers/tokens';
import { nightlyTest } from '../setup/cases';

const PUSH = '/api/v1/push';

test('MongoDB away: 503 for what needs it, alive all the same', async () => {
  const api = await startApi({ store: await storeAway() });
  const [push, markers, ready, live, garbage] = await Promise.all([
    api.ask('POST', PUSH, { token: newToken('erp', {}), body: pushOf(accounts(1)) }),
    api.ask('GET', '/api/v1/channels/acme/markers', { token: newToken('channel', {}) }),
    api.ask('GET', '/readyz'),
    api.ask('GET', '/livez'),
    api.ask('POST', PUSH, { token: 'garbage', body: {} }),
  ]);
  await api.stop();
  await api.store.client.close();
  for (const answer of [push, markers]) {
    expectError(answer, 503, 'UNAVAILABLE');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.text).not.toMatch(/mongo|127\.0\.0\.1|select/i);
  }
  expect([ready.status, ready.json.status, ready.json.parts.mongodb.status]).toEqual([
    503,
    'not_ready',
    'down',
  ]);
  expect(ready.json.parts.temporal.status).toBe('up');
  expect([live.status, live.json]).toEqual([200, { status: 'alive' }]);
  expectError(garbage, 401, 'UNAUTHENTICATED');
});

nightlyTest('however many ask for its health at once, the parts are asked once', async () => {
  const { temporal } = hearingSignals();
  let pings = 0;
  temporal.ping = () => {
    pings += 1;
    return new Promise(() => undefined);
  };
  const api = await startApi({ temporal });
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.ask('GET', '/readyz')));
  const again = await api.ask('GET', '/readyz');
  await api.stop();
  expect(answers.every(({ json }) => json.parts.temporal.status === 'down')).toBe(true);
  expect(pings).toBeLessThan(10); // two, but on a machine so slow that some come when the first are answered
  expect(again.json.parts).toMatchObject({ mongodb: { status: 'up' }, temporal: { status: 'down' } });
});

test('health answers soon, even when the parts say nothing at all', async () => {
  const { temporal } = hearingSignals();
  temporal.ping = () => new Promise(() => undefined);
  const api = await startApi({ store: await storeAway(), temporal });
  const started = Date.now();
  const ready = await api.ask('GET', '/readyz');
  const took = Date.now() - started;
  await api.stop();
  await api.store.client.close();
  expect(took).toBeLessThan(10_000);
  expect([ready.status, ready.json.parts.temporal.status]).toEqual([503, 'down']);
});

test('while starting and draining: 503, alive, not ready', async () => {
  const api = await startApi({ phase: 'starting' });
  const token = await integrationToken(api.store);
  const ask = () => api.ask('POST', PUSH, { token, body: pushOf(accounts(1)) });
  const starting = [await ask(), await api.ask('GET', '/readyz'), await api.ask('GET', '/livez')] as const;
  api.serving.phase = 'serving';
  const serving = [await ask(), await api.ask('GET', '/readyz')] as const;
  api.serving.phase = 'draining';
  const draining = [await ask(), await api.ask('GET', '/readyz')] as const;
  await api.stop();
  for (const [push, ready] of [starting, draining]) {
    expectError(push, 503, 'UNAVAILABLE');
    expect(push.headers['retry-after']).toBeDefined();
    expect([ready.status, ready.json.status]).toEqual([503, 'not_ready']);
  }
  expect(starting[2].status).toBe(200);
  expect([serving[0].status, serving[1].status, serving[1].json.status]).toEqual([204, 200, 'ready']);
  expect(draining[0].headers['connection']).toBe('close');
  expect(serving[0].headers['connection']).toBe('keep-alive');
});
