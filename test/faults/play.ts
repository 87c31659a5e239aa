import { ENTITY_TYPES } from '../../domain/entity-types';
import { outOfOrder } from '../commit-order/promise';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import type { Erp } from './erp';
import type { Fault } from './faults';
import { openScene } from './scene';

const SETTLE_MS = 180_000;

/** What one fault came to. */
export interface Verdict {
  pushes: number;
  refused: number;
  unanswered: number;
  failed: string[];
  pages: number;
  repeated: number;
  lost: string[];
  outOfOrder: number;
}

/** Plays a fault while ERPs push and a customer is fed; then compares what was acknowledged with what he holds. */
export async function play(fault: Fault, say: (line: string) => void): Promise<Verdict> {
  const scene = await openScene();
  const over = new AbortController();
  try {
    const pushing = Promise.all(scene.erps.map((erp) => erp.pushUntil(over.signal)));
    for (let round = 0; round < fault.times; round++) {
      await fault.act(scene, round);
      say(`  ${round + 1} of ${fault.times}, ${sum(scene.erps, ({ pushes }) => pushes)} pushes acknowledged`);
    }
    over.abort();
    await pushing;
    const acknowledged = new Map(scene.erps.flatMap((erp) => [...erp.acknowledged]));
    const lost = () => missing(acknowledged, scene.customer);
    await eventually(() => requireNone(lost()), SETTLE_MS).catch(() => undefined);
    return verdict(scene.erps, scene.customer, lost());
  } finally {
    over.abort();
    await scene.close();
  }
}

function verdict(erps: Erp[], customer: FakeCustomer, lost: string[]): Verdict {
  const confirmed = customer.confirmed();
  const ids = new Set(confirmed.map(({ headers }) => headers['webhook-id']));
  return {
    pushes: sum(erps, ({ pushes }) => pushes),
    refused: sum(erps, ({ refused }) => refused),
    unanswered: sum(erps, ({ unanswered }) => unanswered),
    failed: erps.flatMap(({ failed }) => failed),
    pages: confirmed.length,
    repeated: confirmed.length - ids.size,
    lost,
    outOfOrder: outOfOrder(customer).length,
  };
}

/** The records that the customer holds in another version than the last acknowledged one, or not at all. */
function missing(acknowledged: Map<string, string>, customer: FakeCustomer): string[] {
  const held = new Map<string, unknown>();
  for (const type of ENTITY_TYPES) {
    for (const record of customer.holds(type).values())
      held.set(`${type} ${record.remote_id}`, record['note']);
  }
  return [...acknowledged].flatMap(([record, note]) => (held.get(record) === note ? [] : [record]));
}

function requireNone(records: string[]): void {
  if (records.length > 0) throw new Error(`${records.length} records are not there yet`);
}

const sum = (erps: Erp[], count: (erp: Erp) => number) => erps.reduce((total, erp) => total + count(erp), 0);
