import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Cleanup } from '../../tools/demo/cleanup';
import { freePort } from '../../tools/local/free-port';
import { startParts } from '../../tools/local/start-parts';
import { documentedSettings } from './documented-settings';
import { gdx, startProductionService } from './service';
import { TlsHost } from './tls-host';

const anyPort = async () => String(await freePort());

export type ProductionStage = Awaited<ReturnType<typeof setStage>>;

/** The parts, a migrated database, the two processes in production, and those they speak to. */
export async function setStage(cleanup: Cleanup, say: (line: string) => void) {
  const dir = await mkdtemp(path.join(tmpdir(), 'gdx-production-'));
  cleanup.add(async (failed) => (failed ? say(`logs: ${dir}`) : rm(dir, { recursive: true })));
  const customer = await TlsHost.listen(8443, 'customer');
  const stranger = await TlsHost.listen(443, 'stranger');
  cleanup.add(() => Promise.all([customer.close(), stranger.close()]));
  const parts = await startParts({ dir, namespace: 'gdx', ports: 'any', log: say });
  cleanup.add(() => parts.stop());

  const settings = documentedSettings(parts, customer.url);
  const { code, out, err } = await gdx(settings, 'migrate');
  if (code !== 0) throw new Error(`gdx migrate ended with ${code}: ${err}`);
  say(`gdx migrate: ${out.split('\n')[0]}`);
  const [PORT, apiMetrics, workerMetrics] = [await anyPort(), await anyPort(), await anyPort()];
  const api = startProductionService(dir, 'api', {
    ...settings,
    PORT,
    GDX_OPS_PORT: '0',
    GDX_METRICS_PORT: apiMetrics,
  });
  const worker = startProductionService(dir, 'worker', { ...settings, GDX_METRICS_PORT: workerMetrics });
  cleanup.add(async () => [api, worker].forEach((service) => service.kill()));
  return { settings, customer, stranger, api, worker, port: Number(PORT), parts };
}
