import { freePort } from '../../tools/local/free-port';
import { ownParts } from '../setup/own-parts';
import { documentedSettings } from './documented-settings';
import { gdx, startProductionService } from './service';
import { TlsHost } from './tls-host';

const anyPort = async () => String(await freePort());

export type ProductionStage = Awaited<ReturnType<typeof setStage>>;

/** The parts, a migrated database, the two processes in production, and those they speak to. */
export async function setStage(dir: string, say: (line: string) => void) {
  const customer = await TlsHost.listen(8443, 'customer');
  const stranger = await TlsHost.listen(443, 'stranger');
  const parts = await ownParts({ dir, namespace: 'gdx', log: say });

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
  return { settings, customer, stranger, api, worker, port: Number(PORT), parts };
}
