import pino from 'pino';
import { serveMetrics } from '../../metrics/serve-metrics';

// The rest, and the worker's process: test/metrics/serve.slow.test.ts.

test('figures that cannot be read are answered 500, and the next question is answered', async () => {
  let isBroken = true;
  const server = await serveMetrics({
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'silent' }),
    refresh: async () => {
      if (isBroken) throw new Error('broken');
    },
  });
  const status = async () => {
    const signal = AbortSignal.timeout(5_000);
    return (await fetch(`http://127.0.0.1:${server!.port}/metrics`, { signal })).status;
  };
  try {
    expect(await status()).toBe(500);
    isBroken = false;
    expect(await status()).toBe(200);
  } finally {
    await server!.close();
  }
});
