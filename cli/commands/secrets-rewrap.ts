import type { Command } from 'commander';
import type { Rewrapped } from '../../store/secrets/rewrap-secrets';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { note, printJson, printTable } from '../print';
import { recordChange } from '../record-change';

interface Options {
  dryRun?: boolean;
  reason?: string;
  json?: true;
}

export function secretsRewrapCommand(group: Command, connections: Connections): void {
  group
    .command('rewrap')
    .description(
      'seal with the current keys what those of GDX_SECRET_KEY_OLD and GDX_CUSTOMER_SECRETS_KEY_OLD have sealed',
    )
    .option('--dry-run', 'only print what would be done')
    .action(async ({ dryRun = false, reason, json }: Options) => {
      const done = await rewrap(dryRun, reason);
      if (json) printJson({ dry_run: dryRun, data: done });
      else printTable(done.map(row));
      sayWhatNext(done, dryRun);
    });

  async function rewrap(dryRun: boolean, reason: string | undefined): Promise<Rewrapped[]> {
    const { rewrapSecrets } = await import('../../store/secrets/rewrap-secrets.js');
    const planned = await rewrapSecrets(await connections.store(), { dryRun: true });
    if (dryRun) return planned;
    const before = { of_older_keys: sumOf(planned), unopened: unopenedOf(planned).length };
    const change = { action: 'secrets rewrap', channel: null, before, reason } as const;
    return recordChange(
      connections,
      change,
      (store) => rewrapSecrets(store, { dryRun }),
      (done) => `Resealed ${sumOf(done)}, could not open ${unopenedOf(done).length}.`,
    );
  }
}

const sumOf = (done: Rewrapped[]) => done.reduce((sum, { rewrapped }) => sum + rewrapped, 0);

const unopenedOf = (done: Rewrapped[]) =>
  done.flatMap(({ kind, unopened }) => unopened.map(({ owner, why }) => `${kind} of ${owner}: ${why}`));

const row = ({ kind, current, rewrapped, unopened }: Rewrapped) => ({
  kind,
  current,
  rewrapped,
  unopened: unopened.length,
});

function sayWhatNext(done: Rewrapped[], dryRun: boolean): void {
  const unopened = unopenedOf(done);
  for (const line of unopened) note(`Not opened: ${line}`);
  if (unopened.length > 0) {
    throw new CliError(
      `${unopened.length} secrets could not be opened, and are as they were`,
      'add the key they were sealed with to GDX_SECRET_KEY_OLD or GDX_CUSTOMER_SECRETS_KEY_OLD, then rewrap again',
    );
  }
  if (!dryRun) note('The old keys are no longer needed once no process runs with them as its current ones.');
}
