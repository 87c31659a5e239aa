import type { Recorded } from '../control/record-action';
import type { Store } from '../store/store';
import { askerWith } from './asker';
import { CliError } from './cli-error';
import type { Connections } from './connections';

/** What is recorded of a command's change; `reason` is what its `--reason` says. */
type Change = Recorded & { reason: string | null | undefined };

/**
 * Records a change, makes it, and records what came of it (docs/contract.md O17). Every command that changes something
 * goes through here or through control/.
 * @param make a CliError means that nothing was changed
 */
export async function recordChange<Made>(
  connections: Connections,
  { reason = null, ...change }: Change,
  make: (store: Store) => Promise<Made>,
  outcomeOf: (made: Made) => string = () => 'Done.',
): Promise<Made> {
  const { recordAction } = await import('../control/record-action.js');
  const store = await connections.store();
  const done = await recordAction({ store }, askerWith(reason), change, async () => {
    try {
      const made = await make(store);
      return { made, refusal: undefined, outcome: outcomeOf(made) };
    } catch (refusal) {
      if (!(refusal instanceof CliError)) throw refusal;
      return { made: undefined, refusal, outcome: `Not done: ${refusal.message}.` };
    }
  });
  if (!done) throw new Error('this change was recorded before');
  if (done.refusal) throw done.refusal;
  return done.made as Made;
}
