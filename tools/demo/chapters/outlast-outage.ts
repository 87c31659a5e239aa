import { count } from '../../../domain/records/count';
import { waitUntil } from '../../local/wait-until';
import { changeRecord } from '../../sample/change-record';
import { Random } from '../../sample/random';
import type { ChannelKey } from '../channel-key';
import { recordsOf } from '../demo-customer';
import type { DemoErp } from '../demo-erp';
import { queryChannelStatus, queryCurrentDetails, timerSummaries } from '../operator-view';
import { STEP_TIMEOUT_MS, type DemoStage } from '../demo-stage';
import { bold, chapter, say } from '../terminal';
import { check } from '../verdict';

const REFUSALS = 3;

/** 6: the customer is away, and comes back. @returns the delivery that waited for it */
export async function outlastOutage(stage: DemoStage, erp: DemoErp, key: ChannelKey): Promise<string> {
  chapter(
    "The customer's system is down",
    'What it has not confirmed waits for it; an operator sees why, and when the next try is.',
  );
  const { customer, temporal } = stage;
  const pagesBefore = customer.pages.length;
  customer.goDown();
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
  await customer.receives(1, pagesBefore, STEP_TIMEOUT_MS);
  const report = (await temporal.workflow.getHandle(delivery).result()) as { attempts: number };
  await key.untilConfirmed();
  say(`   the delivery has closed: ${await queryCurrentDetails(temporal, delivery)}`);
  const refused = (await timerSummaries(temporal, delivery)).length;
  say(`   ${count(report.attempts, 'attempt')}, ${refused} of them refused`);
  check('records that came after the outage', recordsOf(customer.pages.slice(pagesBefore)), 1);
  check('attempts, of which the last got through', report.attempts > refused, true);
  return delivery;
}

async function openDelivery({ temporal }: DemoStage): Promise<string> {
  let open: string | undefined;
  await waitUntil(async () => {
    open = (await queryChannelStatus(temporal)).open_deliveries.find((id) => id.includes('/settlements/'));
    if (!open) throw new Error('the channel has not begun to deliver the change');
  }, STEP_TIMEOUT_MS);
  return open!;
}

/** Prints each wait as it begins, until the customer has refused a few times. */
async function showWaits({ temporal }: DemoStage, delivery: string): Promise<void> {
  let shown = 0;
  await waitUntil(async () => {
    const summaries = await timerSummaries(temporal, delivery);
    for (; shown < summaries.length; shown++) say(`     ${summaries[shown]}`);
    if (shown < REFUSALS) throw new Error(`${shown} tries were refused, ${REFUSALS} were waited for`);
  }, STEP_TIMEOUT_MS);
}
