import { formatTable } from '../../cli/print-table';
import { FAULTS, type Fault } from './faults';
import { play, type Verdict } from './play';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run test:faults [-- <fault>...]`: every fault of the table, or those named, and what each came to. */
async function main(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in FAULTS));
  if (unknown.length > 0)
    throw new Error(`no fault ${unknown.join(', ')}; there are ${Object.keys(FAULTS).join(', ')}`);
  const chosen = Object.entries(FAULTS).filter(([name]) => names.length === 0 || names.includes(name));
  const rows = [];
  for (const [name, fault] of chosen) {
    say(`${name}: ${fault.title}`);
    const began = Date.now();
    const verdict = await play(fault, say);
    const broken = brokenBy(verdict, fault);
    rows.push({ ...row(name, fault, verdict), seconds: Math.round((Date.now() - began) / 1_000) });
    if (broken.length > 0) process.exitCode = 1;
    broken.forEach((line) => say(`  FAILED: ${line}`));
  }
  say(`\n${formatTable(rows)}`);
  say(process.exitCode ? 'not all of it holds' : 'every push was answered, nothing acknowledged is lost');
}

const row = (fault: string, { times }: Fault, verdict: Verdict) => ({
  fault,
  times,
  pushes: verdict.pushes,
  'answered 503': verdict.refused,
  unanswered: verdict.unanswered,
  failed: verdict.failed.length,
  pages: verdict.pages,
  repeated: verdict.repeated,
  'order breaks': verdict.outOfOrder,
  lost: verdict.lost.length,
});

function brokenBy(verdict: Verdict, { times, repeatedPages }: Fault): string[] {
  const { failed, lost, repeated, outOfOrder, pages } = verdict;
  const most = times * repeatedPages;
  return [
    ...failed.slice(0, 3).map((answer) => `a push got ${answer}`),
    ...(lost.length > 0 ? [`${lost.length} records lost, such as ${lost.slice(0, 5).join(', ')}`] : []),
    ...(repeated > most ? [`${repeated} pages came twice, ${most} may`] : []),
    ...(outOfOrder > 0 ? [`${outOfOrder} records were out of order`] : []),
    ...(pages === 0 ? ['the customer was sent nothing'] : []),
  ];
}

main(process.argv.slice(2)).catch((error: Error) => {
  say(`faults: ${error.message}`);
  process.exitCode = 1;
});
