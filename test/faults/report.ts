import { rmSync } from 'node:fs';
import type { Fault } from './faults';
import { keptIn, seconds, type Verdict } from './play';

/** `cut off` and `told to retry` are tries, which an ERP repeats; `unanswered` are pushes. */
export const row = (verdict: Verdict) => ({
  rounds: verdict.rounds,
  killed: verdict.killed,
  stopped: verdict.stopped,
  added: verdict.added,
  pushes: verdict.pushes,
  'largest group': verdict.largestGroup,
  'told to retry': verdict.refused,
  'cut off': verdict.cutOff,
  failed: verdict.failed.length,
  unanswered: verdict.unanswered.length,
  'slowest s': Math.round(verdict.slowestMs / 1_000),
  pages: verdict.pages.reduce((total, pages) => total + pages),
  repeated: verdict.repeated,
  'order breaks': verdict.outOfOrder,
  lost: verdict.lost.length,
  'lost by MongoDB': verdict.forgotten.length,
  judge: verdict.judgement ? (verdict.judgement.accepted ? 'accepts' : 'rejects') : '-',
  model: verdict.model
    ? `${verdict.model.steps} ${verdict.model.broken.length > 0 ? 'rejected' : 'accepted'}`
    : '-',
  'longest silence s': verdict.silences.length > 0 ? seconds(longest(verdict)) : '-',
});

const longest = ({ silences }: Verdict) => Math.max(...silences.map(({ ms }) => ms));

/** What MongoDB lost by itself, by name. */
export const forgottenBy = ({ forgotten, mongodbName }: Verdict) =>
  `${mongodbName} answered ok to the commits of ${forgotten.length} pushes that it lost: ${forgotten.slice(0, 5).join(', ')}`;

/**
 * What did not hold, a line each, with `more` that was seen, and where the logs are. Where all of it held there are none: the logs
 * are removed.
 */
export function judge(verdict: Verdict, fault: Fault, more: string[] = []): string[] {
  const broken = [...brokenBy(verdict, fault), ...more];
  if (broken.length > 0) return [...broken, keptIn(verdict.logs)];
  rmSync(verdict.logs, { recursive: true });
  return [];
}

function brokenBy(verdict: Verdict, fault: Fault): string[] {
  const {
    rounds,
    failed,
    unanswered,
    lost,
    forgotten,
    repeated,
    outOfOrder,
    pages,
    mongodbName,
    judgement,
    model,
  } = verdict;
  const { repeatedPages, standInForgets = 0, silenceMs = Infinity } = fault;
  const most = rounds * repeatedPages;
  const forgivable = mongodbName.startsWith('mongod') ? 0 : rounds * standInForgets;
  return [
    ...failed.slice(0, 3).map((answer) => `a push got ${answer}`),
    ...unanswered.slice(0, 3).map((push) => `${push} was never answered`),
    ...(lost.length > 0 ? [`${lost.length} records lost, such as ${lost.slice(0, 5).join(', ')}`] : []),
    ...(forgotten.length > forgivable ? [`${forgottenBy(verdict)}, ${forgivable} may be`] : []),
    ...(repeated > most ? [`${repeated} pages came twice, ${most} may`] : []),
    ...(judgement?.accepted === false && forgotten.length === 0 ? judgement.lines.slice(-5) : []),
    ...(forgotten.length === 0 ? (model?.broken.slice(0, 3) ?? []) : []),
    ...(outOfOrder > 0 ? [`${outOfOrder} records were out of order`] : []),
    ...verdict.silences
      .filter(({ ms }) => ms > silenceMs)
      .map(({ ms }) => `a customer got nothing for ${seconds(ms)} s, ${seconds(silenceMs)} s may be`),
    ...verdict.retried.slice(0, 3).map((why) => `an attempt was given up: ${why}`),
    ...(pages.includes(0) ? ['a customer was sent nothing'] : []),
  ];
}
