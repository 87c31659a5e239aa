import type { CommandStartedEvent } from 'mongodb';
import type { Store } from '../../store/store';

/** One command as it went to the database. */
export interface SentCommand {
  name: string;
  collection: string;
  command: Record<string, unknown>;
}

export const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];

/** All that a monitored store sends to its own database while `work` goes on. */
export async function watchCommands(store: Store, work: () => Promise<unknown>): Promise<SentCommand[]> {
  const sent: SentCommand[] = [];
  const remember = ({ commandName, databaseName, command }: CommandStartedEvent) => {
    // getMore carries its collection beside its cursor; a transaction ends on the admin database.
    const target = commandName === 'getMore' ? command.collection : command[commandName];
    if (databaseName === 'admin' && !/^(commit|abort)Transaction$/.test(commandName)) return;
    sent.push({ name: commandName, collection: String(target), command });
  };
  store.client.on('commandStarted', remember);
  try {
    await work();
  } finally {
    store.client.off('commandStarted', remember);
  }
  return sent;
}

/** How many of them are `name` on `collection`. */
export function countOf(sent: SentCommand[], name: string, collection: string): number {
  return sent.filter((one) => one.name === name && one.collection === collection).length;
}
