import { waitUntil } from '../../deploy/local/wait-until';
import type { Numbers } from '../numbers';
import { channelStatus } from '../operator-view';
import { PATIENCE_MS, type Stage } from '../stage';
import { chapter, count, say } from '../terminal';

const RUNS = 2;

/** 4: runs that find nothing new, seen at the channel's workflow. */
export async function stayQuiet(stage: Stage): Promise<Numbers['quiet']> {
  chapter('Nothing has changed, nothing is sent', 'A quiet hour costs the customer no request at all.');
  const pagesBefore = stage.customer.pages.length;
  let due = await nextDue(stage);
  say(`   the channel's workflow says: next run at ${time(due)}`);
  for (let run = 0; run < RUNS; run++) {
    due = await nextDue(stage, due);
    say(`   it has run and found nothing to send; next run at ${time(due)}`);
  }
  const requests = stage.customer.pages.length - pagesBefore;
  say(`   ${count(RUNS, 'run')}, ${count(requests, 'request')} to the customer`);
  return { runs: RUNS, requests };
}

/** When the next run is due, as soon as that is not `passed` and none is under way. */
async function nextDue({ temporal }: Stage, passed?: string): Promise<string> {
  let due = '';
  await waitUntil(async () => {
    const { state, next_due } = await channelStatus(temporal);
    if (state !== 'waiting' || !next_due || next_due === passed) {
      throw new Error(`the channel is ${state}, its next run due at ${next_due}`);
    }
    due = next_due;
  }, PATIENCE_MS);
  return due;
}

const time = (instant: string) => instant.slice(11, 21);
