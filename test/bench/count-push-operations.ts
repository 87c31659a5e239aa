import type { Store } from '../../store/store';
import { readCeiling } from '../../store/records/counters';
import { watchCommands, WRITES } from './count-commands';
import { pushBody, storeBody } from './push-body';
import type { Row } from './row';
import { TicketSource } from './ticket-source';

// Commands may come in batches, but not in ones smaller than this.
const LEAST_A_COMMAND = 100;

/**
 * P1 and P2 in commands: a push ten times as large sends hardly more of them, and the same body again writes no record.
 * @param store monitored
 */
export async function countPushOperations(store: Store, records: number): Promise<Row[]> {
  const source = new TicketSource(11 * records);
  const push = (body: unknown) => watchCommands(store, () => storeBody(store, body));
  const body = pushBody(source.take(10 * records));
  const small = await push(pushBody(source.take(records)));
  const large = await push(body);
  const ceiling = await readCeiling(store, 'tickets');
  const again = await push(body);
  const written = again.filter(({ name }) => WRITES.includes(name)).map(({ collection }) => collection);
  const moved = (await readCeiling(store, 'tickets')) - ceiling;
  return [
    {
      id: 'P1',
      what: `commands of a push for ${9 * records} more records`,
      value: large.length - small.length,
      unit: 'count',
      bound: { hard: true, atMost: Math.floor((9 * records) / LEAST_A_COMMAND) },
    },
    exactly('P2', 'documents written besides receipt and counter', written.filter(isRecord).length, 0),
    exactly('P2', 'positions taken, so records to feed', moved, 0),
  ];
}

const isRecord = (collection: string) => !['push_receipts', 'counters'].includes(collection);

function exactly(id: string, what: string, value: number, expected: number): Row {
  return { id, what, value, unit: 'count', bound: { hard: true, exactly: expected } };
}
