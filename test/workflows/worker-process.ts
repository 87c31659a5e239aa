import { Client, Connection } from '@temporalio/client';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Bell, createBell } from '../../bell/bell';
import type { FeedWorker } from './test-feed';

const MAIN = path.join(__dirname, '../../dist/worker/main.js');

/** The built worker as a process of its own, to be killed. */
export class WorkerProcess implements FeedWorker {
  private child: ChildProcess | undefined;
  private readonly joined: WorkerProcess[] = [];

  private constructor(
    readonly client: Client,
    readonly bell: Bell,
    readonly taskQueue: string,
    private readonly databaseUri: string,
    private readonly buildId = '',
  ) {}

  /** @param buildId its version, if it has one */
  static async start(databaseUri: string, buildId?: string): Promise<WorkerProcess> {
    const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS! });
    const client = new Client({ connection, namespace: process.env.TEMPORAL_NAMESPACE! });
    const taskQueue = `test-${randomUUID().slice(0, 8)}`;
    const worker = new WorkerProcess(
      client,
      createBell(client, taskQueue, 20_000),
      taskQueue,
      databaseUri,
      buildId,
    );
    await worker.launch();
    return worker;
  }

  /** Another process, of another version, beside this one; it stops with this one. */
  async join(buildId: string): Promise<WorkerProcess> {
    const worker = new WorkerProcess(this.client, this.bell, this.taskQueue, this.databaseUri, buildId);
    this.joined.push(worker);
    await worker.launch();
    return worker;
  }

  /** Resolves when the process polls for work. */
  async launch(): Promise<void> {
    const { databaseUri, taskQueue } = this;
    const ours = { MONGODB_URI: databaseUri, GDX_TASK_QUEUE: taskQueue, GDX_WORKER_BUILD_ID: this.buildId };
    const env = { ...process.env, ...ours, GDX_METRICS_PORT: '0', LOG_LEVEL: 'info' };
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    await new Promise<void>((ready, failed) => {
      createInterface({ input: child.stdout! }).on(
        'line',
        (line) => line.includes('worker ready') && ready(),
      );
      child.once('exit', (code) => failed(new Error(`the worker ended with ${code}`)));
    });
  }

  /** @returns the exit code, or the signal that ended it */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return 'gone';
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code, by] = (await exit) as [number | null, string | null];
    return code ?? by ?? 'gone';
  }

  async stop(): Promise<void> {
    for (const worker of [this, ...this.joined]) await worker.end('SIGKILL');
    await this.bell.close();
  }
}
