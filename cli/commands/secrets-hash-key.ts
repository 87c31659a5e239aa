import type { Command } from 'commander';
import type { Store } from '../../store/store';
import { count } from '../../domain/count';
import { CliError } from '../cli-error';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';

interface Options {
  new?: true;
  dropPrevious?: true;
  reason?: string;
  yes?: true;
  json?: true;
}

/** How far an exchange of the key that hashes phones has come. */
type State = {
  current: string;
  previous: string | null;
  farmers: number;
  by_previous: number;
  of_these_sharing: number;
};

export function secretsHashKeyCommand(group: Command, connections: Connections): void {
  group
    .command('hash-key')
    .description('the keys that hash farmers’ phones, and how many are still hashed with the previous one')
    .option(
      '--new',
      'hash with a new key from now on; the previous one still finds farmers until their next visit',
    )
    .option('--drop-previous', 'end the previous key, once nobody who shares is hashed with it')
    .option('--yes', 'do not ask')
    .action(async ({ new: add, dropPrevious: drop, reason, yes, json }: Options) => {
      const before = await readState(await connections.preparedStore());
      if (add) await addKey(before, reason);
      else if (drop) await dropKey(before, reason, Boolean(yes ?? json));
      const state = await readState(await connections.store());
      if (json) printJson(state);
      else printFacts(state);
    });

  async function addKey(before: State, reason: string | undefined): Promise<void> {
    const { addHashKey } = await import('../../store/secrets/hash-key.js');
    const change = {
      action: 'secrets hash-key',
      channel: null,
      about: 'new',
      before: { ...before },
      reason,
    } as const;
    await recordChange(connections, change, async (store) => {
      if (await addHashKey(store)) return;
      throw new CliError('two keys are in use already', 'drop the previous one first: `--drop-previous`');
    });
  }

  async function dropKey(before: State, reason: string | undefined, sure: boolean): Promise<void> {
    if (before.previous === null) throw new CliError('there is no previous key', 'nothing is left to drop');
    if (before.of_these_sharing > 0)
      throw new CliError(
        `${count(before.of_these_sharing, 'farmer')} who share are still hashed with the previous key`,
        'wait for their next visit, or end what they share: `gdx subscriptions revoke`',
      );
    const lost = `${count(before.by_previous, 'farmer')} who share nothing now cannot be found again, nor their receipts.`;
    if (!sure) await confirm(`${lost} Continue?`);
    const { dropPreviousHashKey } = await import('../../store/secrets/hash-key.js');
    const { forgetHashedBefore } = await import('../../store/consent/farmers.js');
    const about = 'drop previous';
    const change = {
      action: 'secrets hash-key',
      channel: null,
      about,
      before: { ...before },
      reason,
    } as const;
    await recordChange(connections, change, async (store) => {
      await dropPreviousHashKey(store);
      await forgetHashedBefore(store);
    });
  }
}

async function readState(store: Store): Promise<State> {
  const { hashKeyId } = await import('../../store/secrets/hash-key.js');
  const { countHashedBefore } = await import('../../store/consent/farmers.js');
  const { current, previous } = store.hashKeys!;
  const { farmers, before, sharing } = await countHashedBefore(store);
  return {
    current: hashKeyId(current),
    previous: previous ? hashKeyId(previous) : null,
    farmers,
    by_previous: before,
    of_these_sharing: sharing,
  };
}
