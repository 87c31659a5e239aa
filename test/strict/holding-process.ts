import { once } from 'node:events';
import type { EntityType } from '../../domain/records/entity-types';
import { takePositions } from '../../store/records/counters';
import { deadlineIn, transact } from '../../store/transact';
import { connectStoreAt } from '../setup/open-store-at';

// Holds a counter in an open transaction until a line comes; says each time that it holds it, and when it has committed.
async function main([uri, type]: string[]): Promise<void> {
  const store = await connectStoreAt(uri!);
  await store.client.withSession((session) =>
    transact(store, session, deadlineIn(60_000), async () => {
      await takePositions(store, type as EntityType, 1, session);
      process.stdout.write('holding\n');
      await once(process.stdin, 'data');
      await takePositions(store, type as EntityType, 1, session);
    }),
  );
  process.stdout.write('committed\n');
}

void main(process.argv.slice(2));
