import { count } from '../../../domain/records/count';
import { changeRecord } from '../../sample/change-record';
import { Random } from '../../sample/random';
import type { ChannelKey } from '../channel-key';
import { recordsOf } from '../demo-customer';
import type { DemoErp, Item } from '../demo-erp';
import { STEP_TIMEOUT_MS, type DemoStage } from '../demo-stage';
import { chapter, say } from '../terminal';
import { check } from '../verdict';

const CHANGED = ['accounts', 'contracts', 'tickets'] as const;

/** 5: an ERP that sends much again, of which little is new. */
export async function deliverChanges({ customer }: DemoStage, erp: DemoErp, key: ChannelKey): Promise<void> {
  chapter(
    'Three records change',
    'Many ERPs send whole tables again and again; customers get only what is new in them.',
  );
  const items = thousandWithThreeChanged(erp);
  say('   an account gets a phone, a contract takes a load, a ticket is graded again');
  const pagesBefore = customer.pages.length;
  await erp.push(items, (records, ms) =>
    say(
      `   erp -> POST /api/v1/push  ${count(records, 'record')}, 3 of them changed  answered 204 in ${ms} ms`,
    ),
  );
  await customer.receives(CHANGED.length, pagesBefore, STEP_TIMEOUT_MS);
  await key.untilConfirmed();
  const received = recordsOf(customer.pages.slice(pagesBefore));
  say(`   ${count(items.length, 'record')} pushed, ${received} delivered`);
  check('changed records that came', received, CHANGED.length);
}

/** Changes the first record of each type. */
function thousandWithThreeChanged(erp: DemoErp): Item[] {
  const random = new Random('three changes');
  const stored = CHANGED.flatMap((type) =>
    [...erp.latest[type].values()].map((record, index): Item => {
      return [type, index === 0 ? changeRecord(type, record, random) : record];
    }),
  );
  return stored.slice(0, 1_000);
}
