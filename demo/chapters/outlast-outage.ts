import { count } from '../../domain/count';
import { waitUntil } from '../../deploy/local/wait-until';
import { changeRecord } from '../../sample/change-record';
import { Random } from '../../sample/random';
import type { ChannelKey } from '../channel-key';
import { recordsOf } from '../customer-process';
import type { Erp } from '../erp';
import type { Numbers } from '../numbers';
import { channelStatus, currentDetails, timerSummaries } from '../operator-view';
import { PATIENCE_MS, type Stage } from '../stage';
import { bold, chapter, say } from '../terminal';

const REFUSALS = 3;

/** 6: the customer is away, and comes back. */
export async function outlastOutage(
  stage: Stage,
  erp: Erp,
  key: ChannelKey,
): Promise<{ delivery: string; outage: Numbers['outage'] }> {
  chapter(
    "The customer's system is down",
    'What it has not confirmed waits for it; an operator sees why, and when the next try is.',
  );
  const { customer, temporal } = stage;
  const pagesBefore = customer.pages.length;
  await customer.goDown();
  say(`   acme stops listening; the ERP changes one settlement`);
  const settlement = [...erp.latest.settlements.values()][0]!;
  await erp.push(
    [['settlements', changeRecord('settlements', settlement, new Random('outage'))]],
    () => undefined,
  );
  const delivery = await openDelivery(stage);
  say(`   the Temporal UI shows ${bold(delivery)}, waiting:`);
  await showWaits(stage, delivery);
  await customer.comeUp();
  say('   acme listens again');
  await customer.receives(1, pagesBefore, PATIENCE_MS);
  const report = (await temporal.workflow.getHandle(delivery).result()) as { attempts: number };
  await key.untilConfirmed();
  say(`   the delivery has closed: ${await currentDetails(temporal, delivery)}`);
  const refused = (await timerSummaries(temporal, delivery)).length;
  say(`   ${count(report.attempts, 'attempt')}, ${refused} of them refused`);
  const received = recordsOf(customer.pages.slice(pagesBefore));
  return { delivery, outage: { refused, attempts: report.attempts, received } };
}

async function openDelivery({ temporal }: Stage): Promise<string> {
  let open: string | undefined;
  await waitUntil(async () => {
    open = (await channelStatus(temporal)).open_deliveries.find((id) => id.includes('/settlements/'));
    if (!open) throw new Error('the channel has not begun to deliver the change');
  }, PATIENCE_MS);
  return open!;
}

/** Says each wait as it begins, until the customer has refused a few times. */
async function showWaits({ temporal }: Stage, delivery: string): Promise<void> {
  let shown = 0;
  await waitUntil(async () => {
    const summaries = await timerSummaries(temporal, delivery);
    for (; shown < summaries.length; shown++) say(`     ${summaries[shown]}`);
    if (shown < REFUSALS) throw new Error(`${shown} tries were refused, ${REFUSALS} were waited for`);
  }, PATIENCE_MS);
}
