import type { Command } from 'commander';
import type { WorkerVersions } from '../../bell/worker-versions';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { temporalAway } from '../temporal-away';

interface Options {
  yes?: true;
  json?: true;
}

export function workerSwitch(group: Command, connections: Connections): void {
  group
    .command('switch')
    .description('let another version of the worker go on with all channels')
    .argument(
      '<build-id>',
      'as `gdx worker list` shows it; `unversioned`: workers without GDX_WORKER_BUILD_ID',
    )
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either')
    .action(async (buildId: string, { yes, json }: Options) => {
      if (!yes && !json)
        await confirm(`All channels go on under ${buildId}, other workers get nothing more. Go on?`);
      await switchTo(await connections.workerVersions(), buildId);
      const answer = { build_id: buildId, current: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function switchTo(versions: WorkerVersions, buildId: string): Promise<void> {
    try {
      await versions.switchTo(buildId === 'unversioned' ? '' : buildId);
    } catch (error) {
      if ((error as Error).name !== 'VersionRefused') throw await temporalAway(connections);
      throw new Failure(
        `Temporal does not switch to ${buildId}: ${(error as Error).message}`,
        'start a worker with it, wait until `gdx worker list` shows it, and try again',
      );
    }
  }
}
