import type { Command } from 'commander';
import { temporalUnavailable } from '../connections';
import type { Envelope } from '../envelope';

export function workerCommands(worker: Command, { reads }: Envelope): void {
  reads(
    worker
      .command('list')
      .description('versions of the workers that were started, latest first, and the current one'),
    async (call) => {
      const versions = await (await call.workerVersions()).list().catch(async () => {
        throw await temporalUnavailable(call);
      });
      const table = versions.map(({ build_id, state, first_seen }) => ({ build_id, state, first_seen }));
      const none = 'No worker has been started with GDX_WORKER_BUILD_ID, so every worker takes tasks.';
      return { table, none };
    },
  );
}
