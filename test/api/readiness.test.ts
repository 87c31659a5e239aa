import { accounts, expectError, hearingSignals, integrationToken, pushOf, startApi } from './start-api';

test('each question about its health finds how the parts are by then', async () => {
  const [up, down] = [hearingSignals(true).temporal, hearingSignals(false).temporal];
  let now = up;
  const api = await startApi({ temporal: { ...up, ping: () => now.ping() } });
  const temporal = async () => (await api.ask('GET', '/readyz')).json.parts.temporal.status;
  const seen = [await temporal()];
  now = down;
  seen.push(await temporal());
  now = up;
  seen.push(await temporal());
  expect(seen).toEqual(['up', 'down', 'up']);
  await api.stop();
});

test('before the store is prepared, and once it drains, it is alive, not ready, and takes nothing', async () => {
  const api = await startApi({ phase: 'starting' });
  const token = await integrationToken(api.store);
  for (const phase of ['starting', 'draining'] as const) {
    api.serving.phase = phase;
    expectError(
      await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(1)) }),
      503,
      'UNAVAILABLE',
    );
    expect((await api.ask('GET', '/livez')).status).toBe(200);
    const ready = await api.ask('GET', '/readyz');
    expect([ready.status, ready.json.phase]).toEqual([503, phase]);
  }
  expect(await api.store.db.collection('accounts').countDocuments()).toBe(0);
  await api.stop();
});
