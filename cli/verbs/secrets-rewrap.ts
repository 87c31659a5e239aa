import type { Command } from 'commander';
import type { Rewrapped } from '../../store/rewrap-secrets';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';

interface Options {
  dryRun?: boolean;
  json?: true;
}

export function secretsRewrap(group: Command, connections: Connections): void {
  group
    .command('rewrap')
    .description('seal with GDX_SECRET_KEY all that a key of GDX_SECRET_KEY_OLD has sealed')
    .option('--dry-run', 'say what would be done, change nothing')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ dryRun = false, json }: Options) => {
      const { rewrapSecrets } = await import('../../store/rewrap-secrets.js');
      const done = await rewrapSecrets(await connections.store(), { dryRun });
      if (json) printJson({ dry_run: dryRun, data: done });
      else printTable(done.map(row));
      sayWhatNext(done, dryRun);
    });
}

const row = ({ kind, current, rewrapped, unopened }: Rewrapped) => ({
  kind,
  current,
  rewrapped,
  unopened: unopened.length,
});

function sayWhatNext(done: Rewrapped[], dryRun: boolean): void {
  const unopened = done.flatMap(({ kind, unopened: some }) =>
    some.map(({ owner, why }) => `${kind} of ${owner}: ${why}`),
  );
  for (const line of unopened) note(`Not opened: ${line}`);
  if (unopened.length > 0) {
    throw new Failure(
      `${unopened.length} secrets could not be opened, and are as they were`,
      'add the key they were sealed with to GDX_SECRET_KEY_OLD, then rewrap again',
    );
  }
  if (!dryRun) note('GDX_SECRET_KEY_OLD is not needed any more once no process runs with the key before.');
}
