import { lazyClient } from '../../bell/connect-temporal';
import { environment } from '../../config';
import { freePort } from '../../deploy/local/free-port';
import { startParts as bringUp } from '../../deploy/local/start-parts';
import type { Cleanup } from '../cleanup';
import { CustomerProcess } from '../customer-process';
import { endParts } from '../end-parts';
import { environmentFor } from '../environment-for';
import { apiServes, workerPolls } from '../ready';
import { makeRunFolder, removeRunFolder } from '../run-folder';
import { LENDER, SLUG, type Stage } from '../stage';
import { startService } from '../start-service';
import { chapter, say } from '../terminal';

const log = (line: string) => say(`   ${line}`);

/** 1: everything the story needs, running; `cleanup` knows how to end it. */
export async function startParts(cleanup: Cleanup): Promise<Stage> {
  chapter('The parts start', 'All of it runs on this machine for real: nothing below is simulated.');
  const dir = await makeRunFolder(log);
  cleanup.add((failed) => removeRunFolder(dir, () => undefined, failed));
  const database = `gdx-demo-${new Date().toISOString().slice(5, 19).replace(/\D/g, '')}`;
  const given = { mongoUri: environment['MONGODB_URI'], temporalAddress: environment['TEMPORAL_ADDRESS'] };
  // A Temporal of our own begins empty; in one that was given another demo may run.
  const namespace = given.temporalAddress ? database : 'gdx-demo';
  // Any ports: a running `npm start` has the usual ones.
  const parts = await bringUp({ ...given, dir, log, namespace, ports: 'any', durable: false });
  const env = environmentFor(parts, { database, namespace, port: await freePort() });
  cleanup.add(() => endParts(parts, env));
  const services = await startServices(dir, env, cleanup);
  const [customer, lender] = await Promise.all([startCustomer(SLUG), startCustomer(LENDER.slug)]);
  return {
    ...services.stage,
    env,
    uiUrl: env['GDX_TEMPORAL_UI_URL'] && `${env['GDX_TEMPORAL_UI_URL']}/namespaces/${namespace}`,
    customer,
    lender,
    died: death([parts.mongo, parts.temporal, ...services.processes, customer, lender]),
  };

  async function startCustomer(name: string): Promise<CustomerProcess> {
    const started = await CustomerProcess.start(name);
    cleanup.add(() => started.stop());
    log(`customer ${name}: dist/demo/customer.js at ${new URL(started.baseUrl).host}`);
    return started;
  }
}

async function startServices(dir: string, env: NodeJS.ProcessEnv, cleanup: Cleanup) {
  const apiUrl = `http://127.0.0.1:${env['PORT']}`;
  const address = env['TEMPORAL_ADDRESS']!;
  const temporal = lazyClient({ env, address, namespace: env['TEMPORAL_NAMESPACE']! });
  cleanup.add(() => temporal.connection.close());
  const processes = await Promise.all([
    startService(dir, 'api', env, () => apiServes(apiUrl)),
    startService(dir, 'worker', env, () => workerPolls(temporal)),
  ]);
  cleanup.add(() => Promise.all(processes.map((process) => process.stop())));
  return { stage: { apiUrl, temporal }, processes };
}

/** Rejects when one of them dies. */
function death(parts: { name: string; gone: () => Promise<string> }[]): Promise<never> {
  const died = Promise.race(
    parts.map(async (part) => {
      const reason = await part.gone();
      throw new Error(`${part.name} ended in the middle of the story (${reason})`);
    }),
  );
  died.catch(() => undefined); // after the story they may
  return died;
}
