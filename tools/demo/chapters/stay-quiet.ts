import { count } from '../../../domain/records/count';
import { waitForNextDue } from '../wait-for-next-due';
import type { DemoStage } from '../demo-stage';
import { chapter, say } from '../terminal';
import { check } from '../verdict';

const RUNS = 2;

/** 4: runs that find nothing new, seen at the channel's workflow. */
export async function stayQuiet(stage: DemoStage): Promise<void> {
  chapter('Nothing has changed, nothing is sent', 'A quiet hour costs the customer no request at all.');
  const pagesBefore = stage.customer.pages.length;
  let due = await waitForNextDue(stage.temporal);
  say(`   the channel's workflow says: next run at ${time(due)}`);
  for (let run = 0; run < RUNS; run++) {
    due = await waitForNextDue(stage.temporal, due);
    say(`   it has run and found nothing to send; next run at ${time(due)}`);
  }
  const requests = stage.customer.pages.length - pagesBefore;
  say(`   ${count(RUNS, 'run')}, ${count(requests, 'request')} to the customer`);
  check('requests though nothing had changed', requests, 0);
}

const time = (instant: string) => instant.slice(11, 21);
