import { count } from '../../domain/count';
import type { Numbers } from '../numbers';
import { nextDue } from '../next-due';
import type { Stage } from '../stage';
import { chapter, say } from '../terminal';

const RUNS = 2;

/** 4: runs that find nothing new, seen at the channel's workflow. */
export async function stayQuiet(stage: Stage): Promise<Numbers['quiet']> {
  chapter('Nothing has changed, nothing is sent', 'A quiet hour costs the customer no request at all.');
  const pagesBefore = stage.customer.pages.length;
  let due = await nextDue(stage.temporal);
  say(`   the channel's workflow says: next run at ${time(due)}`);
  for (let run = 0; run < RUNS; run++) {
    due = await nextDue(stage.temporal, due);
    say(`   it has run and found nothing to send; next run at ${time(due)}`);
  }
  const requests = stage.customer.pages.length - pagesBefore;
  say(`   ${count(RUNS, 'run')}, ${count(requests, 'request')} to the customer`);
  return { runs: RUNS, requests };
}

const time = (instant: string) => instant.slice(11, 21);
