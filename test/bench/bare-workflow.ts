import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

export const goSignal = defineSignal('go');

const { answer } = proxyActivities<{ answer: () => Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** What F7 is compared with: every signal runs one activity, and nothing else happens. */
export async function bare(): Promise<void> {
  let asked = 0;
  setHandler(goSignal, () => void (asked += 1));
  for (;;) {
    await condition(() => asked > 0);
    asked -= 1;
    await answer();
  }
}
