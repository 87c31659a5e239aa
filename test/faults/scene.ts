import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout } from '../../deploy/local/checkout';
import { freePort } from '../../deploy/local/free-port';
import { OwnPart } from '../../deploy/local/own-part';
import { startParts, type Parts } from '../../deploy/local/start-parts';
import { closeStore, type Store } from '../../store/connect';
import { addIntegration } from '../../store/integrations';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { Erp } from './erp';

const CADENCE_MS = 1_000;
const PAGE_SIZE = 50;
const ERPS = 4;

/** The whole service as processes of its own, with ERPs that push and a customer that is fed. */
export interface Scene {
  parts: Parts;
  apis: OwnPart[];
  workers: OwnPart[];
  erps: Erp[];
  customer: FakeCustomer;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const dir = await mkdtemp(path.join(tmpdir(), 'gdx-faults-'));
  const log = () => undefined;
  const parts = await startParts({ dir, log, namespace: 'gdx-faults', ports: 'any', durable: true });
  const store = await openStore(parts.mongodbUri);
  const customer = await FakeCustomer.start();
  await addTestChannel(store, 'acme', customer.baseUrl, { page_size: PAGE_SIZE, cadence_ms: CADENCE_MS });
  const ports = [await freePort(), await freePort()];
  const apis = ports.map((port, index) => service(parts, dir, 'api', index, port));
  const workers = [0, 1].map((index) => service(parts, dir, 'worker', index, 0));
  const services = [...apis, ...workers];
  await Promise.all(services.map((part) => part.start()));
  return {
    ...{ parts, apis, workers, customer },
    erps: await makeErps(store, ports),
    async close() {
      await Promise.all(services.map((part) => part.kill()));
      await customer.stop();
      await closeStore(store);
      await Promise.all([parts.temporal.kill(), parts.mongo.kill()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function makeErps(store: Store, ports: number[]): Promise<Erp[]> {
  const { token } = await addIntegration(store, { name: 'agris', company: COMPANY });
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  return Array.from({ length: ERPS }, (_, index) => new Erp(`erp${index}`, token, urls));
}

function service(parts: Parts, dir: string, name: 'api' | 'worker', index: number, port: number): OwnPart {
  let ready = false;
  const part = new OwnPart({
    name: `${name} ${index}`,
    how: 'own',
    command: process.execPath,
    args: [path.join(checkout, 'dist', name, 'main.js')],
    cwd: checkout,
    env: {
      ...process.env,
      MONGODB_URI: parts.mongodbUri,
      TEMPORAL_ADDRESS: parts.temporalAddress,
      TEMPORAL_NAMESPACE: 'gdx-faults',
      GDX_RECONCILE_SECONDS: '2', // starts the channel's workflow, again where it is gone
      GDX_METRICS_PORT: 'off',
      LOG_LEVEL: 'info',
      PORT: String(port),
    },
    // A worker says when it is ready; an API answers.
    output: (line) => {
      if (line.includes('worker ready')) ready = true;
      if (/"level":(50|60)/.test(line)) process.stderr.write(`${name} ${index}: ${line.slice(0, 300)}\n`);
    },
    pidFile: path.join(dir, `${name}-${index}.pid`),
    ready: async () => {
      if (name === 'api') ready = (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
      if (!ready) throw new Error('not ready');
      ready = false;
    },
    graceMs: 40_000,
    log: () => undefined,
  });
  return part;
}
