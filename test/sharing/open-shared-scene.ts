import { closeStore } from '../../store/connect';
import { NOTHING_YET } from '../../domain/totals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { loopbackAgent } from '../setup/loopback-agent';
import { createDeliverPages, type DeliverInput, type DeliverResult } from '../../activities/deliver-pages';
import { createPlanRun, type RunPlan } from '../../activities/plan-run';
import { type Channel, findChannel } from '../../store/channels';
import { readMarkers } from '../../store/markers';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { grant, revoke } from '../../store/grant-and-revoke';
import { farmerOf } from '../../store/subscriptions';
import { deliveryWorkflowId, type Trigger } from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { COMPANY, pushRecords } from '../setup/push-records';

const SLUG = 'acme';

export const accountId = (remoteId: string) => `${COMPANY.id}-${remoteId}`;

/** A store, a customer and a channel of scope `subscribed` between them; the real activities, run by hand. */
export async function openSharedScene(pageSize = 1000) {
  const store = await openStore();
  const customer = await FakeCustomer.start();
  const agent = loopbackAgent();
  await addTestChannel(store, SLUG, customer.baseUrl, {
    scope: 'subscribed',
    page_size: pageSize,
    entity_types: ['accounts', 'tickets'],
  });
  const channel = async () => (await findChannel(store, SLUG)) as Channel;
  const key = (account: string, partner = 'policy-1') => ({
    channel: SLUG,
    partner_id: partner,
    farmer: farmerOf(store, '7015550142'),
    account: accountId(account),
  });

  async function deliver(input: DeliverInput, pages: number): Promise<DeliverResult> {
    const before = customer.pages.length;
    const draining = () => customer.pages.length - before >= pages;
    const { entity_type, run, catch_up } = input;
    const workflowId = deliveryWorkflowId(SLUG, entity_type, run, catch_up);
    const environment = new MockActivityEnvironment({ workflowExecution: { workflowId, runId: 'test' } });
    return environment.run(createDeliverPages({ store, agent, retentionDays: 1, draining }), input);
  }

  return {
    store,
    customer,
    channel,
    /** Tickets by id and the accounts that they name; a split when there are several. */
    pushTickets: (tickets: Record<string, string[]>, note = '') =>
      pushRecords(store, {
        tickets: Object.entries(tickets).map(([id, accounts]) =>
          accounts.length === 1
            ? { id, account_id: accounts[0], note }
            : { id, note, splits: accounts.map((account_id) => ({ account_id, split_percent: 50 })) },
        ),
      }),
    grant: async (account: string, partner?: string) =>
      grant(store, await channel(), [key(account, partner)], '42'),
    revoke: (account: string, partner?: string) => revoke(store, [key(account, partner)]),
    reset: async () => resetChannelMarker(store, await channel(), 'tickets', new Date(0), { dryRun: false }),
    /** One run: plan, then every window; `pages` of each at the most. */
    async run(pages = Infinity): Promise<DeliverResult[]> {
      const trigger: Trigger = 'schedule';
      const plan: RunPlan = await new MockActivityEnvironment().run(createPlanRun({ store }), {
        slug: SLUG,
        trigger,
      });
      if (plan.state !== 'active') return [];
      const { run: number, page_size } = plan;
      const results: DeliverResult[] = [];
      for (const window of plan.windows) {
        const whole = { done: NOTHING_YET, first: true };
        results.push(
          await deliver({ channel: SLUG, trigger, run: number, page_size, ...whole, ...window }, pages),
        );
      }
      return results;
    },
    /** The tickets posted since, in order. */
    posted: (since = 0) =>
      customer.pages
        .slice(since)
        .filter(({ entityType }) => entityType === 'tickets')
        .flatMap(({ records }) => records.map(({ remote_id }) => remote_id)),
    position: async () => (await readMarkers(store, SLUG)).get('tickets')?.position,
    async close() {
      await agent.close();
      await customer.stop();
      await closeStore(store);
    },
  };
}

export type SharedScene = Awaited<ReturnType<typeof openSharedScene>>;
