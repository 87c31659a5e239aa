import { count } from '../../../domain/records/count';
import { ENTITY_TYPES } from '../../../domain/records/entity-types';
import type { ChannelKey, ResetAnswer } from '../channel-key';
import { recordsOf } from '../demo-customer';
import { STEP_TIMEOUT_MS, CUSTOMER_SLUG, type DemoStage } from '../demo-stage';
import { chapter, dim, say } from '../terminal';
import { check } from '../verdict';

/** 7: the customer has lost data, and gets it again without asking anybody. @returns how many records came again */
export async function resetOneMarker({ customer }: DemoStage, key: ChannelKey): Promise<number> {
  chapter(
    'The customer lost data and gets it again',
    'A marker remembers what a customer has confirmed; the customer itself may move it back.',
  );
  const { held } = customer.records.report();
  // All records of one push carry one time: the second is that of the second push.
  const since = [...new Set(held.tickets.map(({ updated_at }) => updated_at))].sort()[1]!;
  const expected = held.tickets.filter(({ updated_at }) => updated_at >= since).length;
  customer.records.lose('tickets', since);
  say(`   acme restores a backup: its ${count(expected, 'ticket')} since ${since} are gone`);

  const pagesBefore = customer.pages.length;
  const dryRun = await key.reset('tickets', since, true);
  sayReset('?dry_run=true', dryRun);
  const promised = await key.reset('tickets', since);
  sayReset('', promised);
  await customer.receives(expected, pagesBefore, STEP_TIMEOUT_MS);
  await key.untilConfirmed();
  const again = customer.pages.slice(pagesBefore);
  const received = { records: recordsOf(again), pages: again.length };
  const others = again.filter(({ entity_type }) => entity_type !== 'tickets').length;
  say(`   sent again: ${count(received.records, 'ticket')} on ${count(received.pages, 'page')}`);
  say(`   of the other ${ENTITY_TYPES.length - 1} entity types: ${count(others, 'page')}`);
  const counted = { records: expected, pages: received.pages };
  check('records that the reset promised', amount(promised, counted), counted);
  check('the dry run of the reset', amount(dryRun, counted), counted);
  check('what the reset brought', received, amount(promised, counted));
  return expected;
}

function sayReset(query: string, answer: ResetAnswer): void {
  say(`   acme -> POST /api/v1/channels/${CUSTOMER_SLUG}/markers/tickets/reset${query}`);
  say(dim(`           ${JSON.stringify(answer)}`));
}

/** On a busy machine the count stops after two seconds and says how many it has found, at most all (docs/contract.md C16). */
function amount({ records, pages, at_least }: ResetAnswer, all: Amount): Amount {
  return records === null ? { ...all, records: Math.max(at_least, all.records) } : { records, pages };
}

interface Amount {
  records: number;
  pages: number;
}
