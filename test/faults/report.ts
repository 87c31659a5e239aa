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
  'lost by MongoDB': verdict.forgotten.length,
});

/** What MongoDB lost by itself, by name. */
export const forgottenBy = ({ forgotten, mongodbName }: Verdict) =>
  `${mongodbName} answered ok to the commits of ${forgotten.length} pushes that it lost: ${forgotten.slice(0, 5).join(', ')}`;

/** What of the promise did not hold, a line each. */
export function brokenBy(verdict: Verdict, { repeatedPages, standInForgets = 0 }: Fault): string[] {
  const { rounds, failed, unanswered, lost, forgotten, repeated, outOfOrder, pages, mongodbName } = verdict;
  const most = rounds * repeatedPages;
  const forgivable = mongodbName.startsWith('mongod') ? 0 : rounds * standInForgets;
  return [
    ...failed.slice(0, 3).map((answer) => `a push got ${answer}`),
    ...unanswered.slice(0, 3).map((push) => `${push} was never answered`),
    ...(lost.length > 0 ? [`${lost.length} records lost, such as ${lost.slice(0, 5).join(', ')}`] : []),
    ...(forgotten.length > forgivable ? [`${forgottenBy(verdict)}, ${forgivable} may be`] : []),
    ...(repeated > most ? [`${repeated} pages came twice, ${most} may`] : []),
    ...(outOfOrder > 0 ? [`${outOfOrder} records were out of order`] : []),
    ...(pages.includes(0) ? ['a customer was sent nothing'] : []),
  ];
}
