import { isDeepStrictEqual } from 'node:util';
import { ENTITY_TYPES } from '../domain/entity-types';
import type { Numbers, Signatures, Tally } from './numbers';

/** Everything that is wrong with the numbers, in sentences; nothing when the promise was kept. */
export function judge(numbers: Numbers): string[] {
  const { elevators, first_delivery: first, quiet, changes, outage, signatures } = numbers;
  const wrong: string[] = [];
  const must = (holds: boolean, otherwise: string) => void (holds || wrong.push(otherwise));
  const { acknowledged, stored } = elevators;
  must(stored === acknowledged, `${acknowledged} elevators were acknowledged, ${stored} are stored`);
  must(
    isDeepStrictEqual(first.received, first.expected),
    `first pages: expected ${first.expected.join('; ')}, got ${first.received.join('; ')}`,
  );
  must(quiet.runs >= 1, 'no run without changes was seen');
  must(quiet.requests === 0, `${quiet.requests} requests came though nothing had changed`);
  must(
    changes.received === changes.changed,
    `${changes.changed} of ${changes.pushed} records had changed, ${changes.received} came`,
  );
  must(outage.refused >= 1, 'no try was refused while the customer was down');
  must(
    outage.attempts > outage.refused,
    `${outage.attempts} attempts, ${outage.refused} refused: none got through`,
  );
  must(outage.received === 1, `1 record waited for the customer, ${outage.received} came`);
  wrong.push(...judgeReset(numbers.reset));
  wrong.push(...judgeSharing(numbers.sharing), ...judgeSignatures(signatures));
  for (const type of ENTITY_TYPES) wrong.push(...judgeTally(type, numbers.entity_types[type]));
  return wrong;
}

function judgeReset({ expected, dry_run, promised, received }: Numbers['reset']): string[] {
  const wrong = [];
  if (expected === 0) wrong.push('the reset covers no record, and proves nothing');
  if (!isDeepStrictEqual(dry_run, promised))
    wrong.push(`the dry run said ${dry_run.records} records, the reset ${promised.records}`);
  if (promised.records !== expected)
    wrong.push(`the reset promised ${promised.records} records, the customer had ${expected} of that time`);
  if (!isDeepStrictEqual(received, promised))
    wrong.push(
      `the reset promised ${promised.records} records on ${promised.pages} pages, ` +
        `${received.records} on ${received.pages} came`,
    );
  return wrong;
}

function judgeSharing(sharing: Numbers['sharing']): string[] {
  const { page, earlier, later, after_revoke, strangers, differing, signatures } = sharing;
  const wrong = judgeSignatures(signatures).map((sentence) => `the lender: ${sentence}`);
  if (page.offered !== 2 || page.ticked !== 0)
    wrong.push(`the farmer has 2 accounts, the page offered ${page.offered} and had ticked ${page.ticked}`);
  if (earlier.expected === 0) wrong.push('the shared account had nothing before, and proves nothing');
  if (earlier.received !== earlier.expected)
    wrong.push(`the shared account had ${earlier.expected} records, the lender got ${earlier.received}`);
  if (later.received !== 1)
    wrong.push(`of ${later.pushed} pushed records 1 was shared, the lender got ${later.received}`);
  if (after_revoke.received !== 0)
    wrong.push(`after the farmer had stopped it, the lender got ${after_revoke.received} records`);
  if (strangers > 0) wrong.push(`the lender holds ${strangers} records that nobody has shared with it`);
  if (differing > 0) wrong.push(`the lender holds ${differing} records that are not as they were pushed`);
  return wrong;
}

function judgeSignatures({ verified, wrong: bad, pages }: Signatures): string[] {
  const wrong = [];
  if (bad > 0) wrong.push(`${bad} pages had a wrong signature, key or count`);
  if (verified !== pages) wrong.push(`${pages} pages came, ${verified} signatures were verified`);
  return wrong;
}

function judgeTally(type: string, tally: Tally): string[] {
  const { acknowledged, delivered, repeated, repeats_expected, missing } = tally;
  const wrong = [];
  if (acknowledged === 0) wrong.push(`${type}: nothing was acknowledged, and nothing proved`);
  if (delivered !== acknowledged)
    wrong.push(`${type}: ${acknowledged} changes were acknowledged, ${delivered} delivered`);
  if (repeated !== repeats_expected)
    wrong.push(`${type}: ${repeated} changes came again, ${repeats_expected} were to`);
  if (missing > 0)
    wrong.push(`${type}: ${missing} records are missing or not as they were last acknowledged`);
  return wrong;
}
