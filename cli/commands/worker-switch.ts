import type { Command } from 'commander';
import type { WorkerVersions } from '../../temporal/worker-versions';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { temporalUnavailable } from '../temporal-unavailable';

interface Options {
  reason?: string;
  yes?: true;
  json?: true;
}

export function workerSwitchCommand(group: Command, connections: Connections): void {
  group
    .command('switch')
    .description('move all channels to another version of the worker')
    .argument(
      '<build-id>',
      'as `gdx worker list` shows it; `unversioned`: workers without GDX_WORKER_BUILD_ID',
    )
    .option('--yes', 'do not ask')
    .action(async (buildId: string, { reason, yes, json }: Options) => {
      if (!yes && !json)
        await confirm(`All channels go on under ${buildId}, other workers get nothing more. Continue?`);
      const versions = await connections.workerVersions();
      const before = { build_id: await currentOf(versions) };
      const change = { action: 'worker switch', channel: null, about: buildId, before, reason } as const;
      await recordChange(connections, change, () => switchTo(versions, buildId));
      const answer = { build_id: buildId, current: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function currentOf(versions: WorkerVersions): Promise<string | null> {
    const known = await versions.list().catch(async () => {
      throw await temporalUnavailable(connections);
    });
    return known.find(({ state }) => state === 'current')?.build_id ?? null;
  }

  async function switchTo(versions: WorkerVersions, buildId: string): Promise<void> {
    try {
      await versions.switchTo(buildId === 'unversioned' ? '' : buildId);
    } catch (error) {
      if ((error as Error).name !== 'VersionRefused') throw await temporalUnavailable(connections);
      throw new CliError(
        `Temporal does not switch to ${buildId}: ${(error as Error).message}`,
        'start a worker with it, wait until `gdx worker list` shows it, and try again',
      );
    }
  }
}
