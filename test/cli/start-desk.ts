import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lazyClient } from '../../temporal/connect-temporal';
import { RecordToRender } from '../../domain/records/record-to-render';
import type { Company } from '../../domain/records/render-record';
import { storePush } from '../../store/push/store-push';
import { closeAtEnd } from '../setup/close-at-end';
import { databaseUriOf, emptyStore } from '../setup/open-store';
import { runNode } from '../setup/processes';
import { gdxHere, type Run, silentTerminal } from './gdx-here';

const COMPANY: Company = { id: '42', name: 'Prairie Co-op' };

const AT_A_TERMINAL = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent('process.stdin.isTTY = true')}`,
};

export type Desk = Awaited<ReturnType<typeof startDesk>>;

/** `gdx` on the one store of the test file, emptied, with its own task queue. */
export async function startDesk() {
  const store = await emptyStore();
  const queue = `desk-${randomBytes(6).toString('hex')}`;
  const uri = databaseUriOf(store);
  const env = { ...process.env, MONGODB_URI: uri, GDX_TASK_QUEUE: queue, NODE_ENV: 'test' };
  const temporal = lazyClient({
    env,
    address: process.env.TEMPORAL_ADDRESS as string,
    namespace: process.env.TEMPORAL_NAMESPACE ?? 'default',
  });
  closeAtEnd(async () => {
    const query = `TaskQueue = "${queue}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId } of temporal.workflow.list({ query }))
      await temporal.workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => {});
    await temporal.connection.close();
  });

  return {
    store,
    /** The environment of processes of the same service. */
    env,
    /** In this process; at night the real program. */
    gdx: (args: string[], changes: NodeJS.ProcessEnv = {}) =>
      (process.env['GDX_TIER'] === 'nightly' ? startGdx : gdxHere)(args, { ...env, ...changes }),
    /** The same at a terminal at which nobody types. */
    gdxAsking: (args: string[]) =>
      process.env['GDX_TIER'] === 'nightly'
        ? startGdx(args, { ...env, ...AT_A_TERMINAL })
        : gdxHere(args, env, silentTerminal()),
    /** The real program. */
    gdxProcess: (args: string[], changes: NodeJS.ProcessEnv = {}, meddle?: (child: ChildProcess) => void) =>
      startGdx(args, { ...env, ...changes }, meddle),
    /** The signals that a channel's workflow has received, in order. */
    async signals(slug: string): Promise<string[]> {
      const { events } = await temporal.workflow.getHandle(`channel/${slug}`).fetchHistory();
      return (events ?? []).flatMap(
        (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
      );
    },
    /** Tickets `1`, `2`, ... of company 42. */
    async pushTickets(count: number): Promise<void> {
      const tickets = Array.from({ length: count }, (_, index) => {
        const ticket = { id: `${index + 1}`, account_id: '1001', net_weight: 42_180 };
        return new RecordToRender('tickets', ticket, COMPANY);
      });
      await storePush(store, {
        receiptId: randomBytes(6).toString('hex'),
        bodyHash: randomBytes(32),
        companyId: COMPANY.id,
        records: { accounts: [], contracts: [], tickets, settlements: [] },
        elevators: [{ id: '100', name: 'Casselton \u001b[31m', city: 'Casselton', phone: '+17015550100' }],
        warnings: { count: 0, messages: {} },
      });
    },
  };
}

async function startGdx(
  args: string[],
  env: NodeJS.ProcessEnv,
  meddle?: (child: ChildProcess) => void,
): Promise<Run> {
  const { code, out, err } = await runNode(['dist/cli/main.js', ...args], env, meddle);
  return { exitCode: code, stdout: out, stderr: err, json: () => JSON.parse(out) };
}
