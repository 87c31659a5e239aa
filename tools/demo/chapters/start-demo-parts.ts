import { lazyClient } from '../../../temporal/connect-temporal';
import { environment } from '../../../config';
import { freePort } from '../../local/free-port';
import { startParts as bringUp } from '../../local/start-parts';
import { beginHistory } from '../../judge/record-history';
import type { Cleanup } from '../cleanup';
import { DemoCustomer } from '../demo-customer';
import { endParts } from '../end-parts';
import { environmentFor } from '../environment-for';
import { apiServes, workerPolls } from '../ready';
import { makeRunFolder, removeRunFolder } from '../run-folder';
import { LENDER, CUSTOMER_SLUG, type DemoStage } from '../demo-stage';
import { startDemoService } from '../start-demo-service';
import { chapter, say } from '../terminal';

const log = (line: string) => say(`   ${line}`);

/** 1: starts everything the demo needs; `cleanup` stops it. */
export async function startDemoParts(cleanup: Cleanup): Promise<DemoStage> {
  chapter('The parts start', 'All of it runs on this machine for real: nothing below is simulated.');
  const dir = await makeRunFolder(log);
  cleanup.add((failed) => removeRunFolder(dir, () => undefined, failed));
  beginHistory(dir);
  const database = `gdx-demo-${new Date().toISOString().slice(5, 19).replace(/\D/g, '')}`;
  const given = { mongoUri: environment['MONGODB_URI'], temporalAddress: environment['TEMPORAL_ADDRESS'] };
  // Our own Temporal starts empty; a given one may run another demo.
  const namespace = given.temporalAddress ? database : 'gdx-demo';
  // Any ports, since a running `npm start` uses the usual ones.
  const parts = await bringUp({ ...given, dir, log, namespace, ports: 'any', durable: false });
  const env = environmentFor(parts, { database, namespace, port: await freePort() });
  cleanup.add(() => endParts(parts, env));
  const services = await startServices(dir, env, cleanup);
  const [customer, lender] = await Promise.all([startCustomer(CUSTOMER_SLUG), startCustomer(LENDER.slug)]);
  return {
    ...services.stage,
    env,
    uiUrl: env['GDX_TEMPORAL_UI_URL'] && `${env['GDX_TEMPORAL_UI_URL']}/namespaces/${namespace}`,
    customer,
    lender,
    died: death([parts.mongo, parts.temporal, ...services.processes]),
  };

  async function startCustomer(name: string): Promise<DemoCustomer> {
    const customer = new DemoCustomer(name);
    await customer.comeUp();
    cleanup.add(async () => customer.goDown());
    log(`customer ${name}: takes pages at ${customer.baseUrl}`);
    return customer;
  }
}

async function startServices(dir: string, env: NodeJS.ProcessEnv, cleanup: Cleanup) {
  const apiUrl = `http://127.0.0.1:${env['PORT']}`;
  const address = env['TEMPORAL_ADDRESS']!;
  const temporal = lazyClient({ env, address, namespace: env['TEMPORAL_NAMESPACE']! });
  cleanup.add(() => temporal.connection.close());
  const processes = await Promise.all([
    startDemoService(dir, 'api', env, () => apiServes(apiUrl)),
    startDemoService(dir, 'worker', env, () => workerPolls(temporal)),
  ]);
  cleanup.add(() => Promise.all(processes.map((process) => process.stop())));
  return { stage: { apiUrl, temporal }, processes };
}

/** Rejects when a process dies. */
function death(parts: { name: string; gone: () => Promise<string> }[]): Promise<never> {
  const died = Promise.race(
    parts.map(async (part) => {
      const reason = await part.gone();
      throw new Error(`${part.name} ended in the middle of the story (${reason})`);
    }),
  );
  died.catch(() => undefined); // ignored once the demo has ended
  return died;
}
