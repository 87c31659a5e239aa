import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { lazyClient } from '../../bell/connect-temporal';
import { renderRecord, type Company } from '../../domain/render-record';
import { closeStore } from '../../store/connect';
import { storePush } from '../../store/store-push';
import { newDatabaseUri, openStore } from '../setup/open-store';

export interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** stdout as the one JSON document it must be. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they expect
  json(): any;
}

const MAIN = path.join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const COMPANY: Company = { id: '42', name: 'Prairie Co-op' };

export type Desk = Awaited<ReturnType<typeof startDesk>>;

/** An operator's desk: `gdx` as a real process, with a database and a task queue of its own. */
export async function startDesk() {
  if (!existsSync(MAIN)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it');
  const uri = newDatabaseUri();
  const queue = `desk-${randomBytes(6).toString('hex')}`;
  const env = { ...process.env, MONGODB_URI: uri, GDX_TASK_QUEUE: queue, NODE_ENV: 'test' };
  const store = await openStore(uri);
  const temporal = lazyClient({
    env,
    address: process.env.TEMPORAL_ADDRESS as string,
    namespace: process.env.TEMPORAL_NAMESPACE ?? 'default',
  });

  return {
    store,
    /** What a process of the same service is started with. */
    env,
    gdx: (args: string[], changes: NodeJS.ProcessEnv = {}, meddle?: (child: ChildProcess) => void) =>
      runGdx(args, { ...env, ...changes }, meddle),
    /** The signals a channel's workflow has got, in order. */
    async signals(slug: string): Promise<string[]> {
      const { events } = await temporal.workflow.getHandle(`channel/${slug}`).fetchHistory();
      return (events ?? []).flatMap(
        (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
      );
    },
    /** Tickets `1`, `2`, ... of company 42. */
    async pushTickets(count: number): Promise<void> {
      const tickets = Array.from({ length: count }, (_, index) =>
        renderRecord('tickets', { id: `${index + 1}`, account_id: '1001', net_weight: 42_180 }, COMPANY),
      );
      await storePush(store, {
        receiptId: randomBytes(6).toString('hex'),
        bodyHash: randomBytes(32),
        companyId: COMPANY.id,
        records: { accounts: [], contracts: [], tickets, settlements: [] },
        elevators: [{ id: '100', name: 'Casselton \u001b[31m', city: 'Casselton', phone: '+17015550100' }],
      });
    },
    async close(slugs: string[]): Promise<void> {
      for (const slug of slugs) {
        await temporal.workflow
          .getHandle(`channel/${slug}`)
          .terminate()
          .catch(() => {});
      }
      await temporal.connection.close();
      await closeStore(store);
    },
  };
}

function runGdx(
  args: string[],
  env: NodeJS.ProcessEnv,
  meddle?: (child: ChildProcess) => void,
): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr, json: () => JSON.parse(stdout) });
    });
    child.stdin?.end();
    meddle?.(child);
  });
}
