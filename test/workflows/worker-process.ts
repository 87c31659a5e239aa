import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { closeAtEnd } from '../setup/close-at-end';
import { type Service, startService } from '../setup/processes';
import type { FeedWorker } from './test-feed';

/** The built worker as a process of its own, to be killed. */
export class WorkerProcess implements FeedWorker {
  private service: Service | undefined;

  private constructor(
    readonly client: Client,
    readonly temporal: ChannelClient,
    readonly taskQueue: string,
    private readonly databaseUri: string,
    private readonly buildId = '',
    private readonly address = process.env.TEMPORAL_ADDRESS!,
  ) {}

  /** @param buildId its version, if it has one */
  static async start(databaseUri: string, buildId?: string): Promise<WorkerProcess> {
    const worker = await WorkerProcess.behind(process.env.TEMPORAL_ADDRESS!, databaseUri, buildId);
    await worker.launch();
    return worker;
  }

  /** One that will reach Temporal at another address than the test does. */
  static async behind(address: string, databaseUri: string, buildId?: string): Promise<WorkerProcess> {
    const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS! });
    const client = new Client({ connection, namespace: process.env.TEMPORAL_NAMESPACE! });
    const taskQueue = `test-${randomUUID().slice(0, 8)}`;
    const temporal = createChannelClient(client, taskQueue, 20_000);
    closeAtEnd(() => temporal.close());
    return new WorkerProcess(client, temporal, taskQueue, databaseUri, buildId, address);
  }

  /** Another process beside this one, of another version or at another address. */
  async join(buildId = '', address?: string): Promise<WorkerProcess> {
    const { client, temporal, taskQueue, databaseUri } = this;
    const worker = new WorkerProcess(client, temporal, taskQueue, databaseUri, buildId, address);
    await worker.launch();
    return worker;
  }

  /** All that it has written since it was last launched. */
  get log(): string {
    return this.service?.lines.join('\n') ?? '';
  }

  /** What the names of its workers begin with. */
  get pid(): number | undefined {
    return this.service?.child.pid;
  }

  /** Resolves when the process polls for work. */
  async launch(): Promise<void> {
    const { databaseUri, taskQueue, buildId } = this;
    const settings = {
      MONGODB_URI: databaseUri,
      TEMPORAL_ADDRESS: this.address,
      GDX_TASK_QUEUE: taskQueue,
      GDX_WORKER_BUILD_ID: buildId,
    };
    // also for the tests that follow the one in which it died
    this.service = await startService('worker', settings, undefined, 'file');
  }

  /** @returns the exit code, or the signal that ended it */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string> {
    return (await this.service?.end(signal)) ?? 'gone';
  }
}
