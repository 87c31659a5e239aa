import type { Fault } from './faults';
import type { Verdict } from './play';

/** `cut off` and `answered 503` are tries, which an ERP repeats; `unanswered` are pushes. */
export const row = (verdict: Verdict) => ({
  rounds: verdict.rounds,
  killed: verdict.killed,
  stopped: verdict.stopped,
  added: verdict.added,
  pushes: verdict.pushes,
  'answered 503': verdict.refused,
  'cut off': verdict.cutOff,
  failed: verdict.failed.length,
  unanswered: verdict.unanswered.length,
  'slowest s': Math.round(verdict.slowestMs / 1_000),
  pages: verdict.pages.reduce((total, pages) => total + pages),
  repeated: verdict.repeated,
  'order breaks': verdict.outOfOrder,
  lost: verdict.lost.length,
});

/** What of the promise did not hold, a line each. */
export function brokenBy(verdict: Verdict, { repeatedPages }: Fault): string[] {
  const { rounds, failed, unanswered, lost, repeated, outOfOrder, pages } = verdict;
  const most = rounds * repeatedPages;
  return [
    ...failed.slice(0, 3).map((answer) => `a push got ${answer}`),
    ...unanswered.slice(0, 3).map((push) => `${push} was never answered`),
    ...(lost.length > 0 ? [`${lost.length} records lost, such as ${lost.slice(0, 5).join(', ')}`] : []),
    ...(repeated > most ? [`${repeated} pages came twice, ${most} may`] : []),
    ...(outOfOrder > 0 ? [`${outOfOrder} records were out of order`] : []),
    ...(pages.includes(0) ? ['a customer was sent nothing'] : []),
  ];
}
