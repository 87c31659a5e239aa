import { NOTHING_YET } from '../../domain/totals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { Agent } from 'undici';
import { loopbackAgent } from '../setup/loopback-agent';
import { createDeliverPages, type DeliverInput, type DeliverResult } from '../../activities/deliver-pages';
import { createPlanRun, type RunPlan } from '../../activities/plan-run';
import { closeStore, type Store } from '../../store/connect';
import { readMarkers } from '../../store/markers';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { findChannel } from '../../store/channels';
import { deliveryWorkflowId, type Trigger } from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

export const SLUG = 'acme';

/** A store, a customer and a channel of tickets between them, with the real activities to run by hand. */
async function openScene(pageSize: number) {
  const store = await openStore();
  const customer = await FakeCustomer.start();
  const agent = loopbackAgent();
  await addTestChannel(store, SLUG, customer.baseUrl, { page_size: pageSize, entity_types: ['tickets'] });
  return {
    store,
    customer,
    agent,
    push: (...ids: string[]) => pushTickets(store, ids),
    plan: (through = store) => planRun(through, SLUG),
    attempt: (input: DeliverInput, through = store, pages?: number) =>
      attempt({ store: through, agent }, input, pages),
    run: (through = store) => run({ store: through, agent }, SLUG),
    reset: async (through = store) => {
      const channel = (await findChannel(store, SLUG))!;
      await resetChannelMarker(through, channel, 'tickets', new Date(0), { dryRun: false });
    },
    position: async () => (await readMarkers(store, SLUG)).get('tickets')?.position,
    /** The ids posted since, confirmed or not, in order. */
    posted: (since = 0) => customer.pages.slice(since).flatMap(idsOf),
    async close() {
      await agent.close();
      await customer.stop();
      await closeStore(store);
    },
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene and closes it again, whatever comes of the test: an open customer would keep jest from ending. */
export async function withScene<T>(pageSize: number, use: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await openScene(pageSize);
  try {
    return await use(scene);
  } finally {
    await scene.close();
  }
}

const idsOf = ({ records }: FakeCustomer['pages'][number]) => records.map(({ remote_id }) => remote_id);

// Activities that fail on purpose are no news.
const QUIET = { logger: new DefaultLogger('ERROR', () => {}) };

let version = 0;

/** Every call makes new versions, so that a known id is a change. */
export function pushTickets(store: Store, ids: string[]) {
  const note = `v${++version}`;
  return pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001', note })) });
}

export function planRun(store: Store, slug: string): Promise<RunPlan> {
  const trigger: Trigger = 'schedule';
  return new MockActivityEnvironment({}, QUIET).run(createPlanRun({ store }), { slug, trigger });
}

/** One attempt by the real activity; with `pages` it hands back after so many, as a worker does that is stopping. */
export function attempt(
  deps: { store: Store; agent: Agent },
  input: DeliverInput,
  pages = Infinity,
): Promise<DeliverResult> {
  let left = pages;
  const draining = () => left-- <= 0;
  const workflowId = deliveryWorkflowId(input.channel, input.entity_type, input.run);
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'test' } },
    QUIET,
  );
  return environment.run(createDeliverPages({ ...deps, retentionDays: 1, draining }), input);
}

/** What the workflow hands to the activity for each window of a plan. */
export function inputsOf(plan: RunPlan, slug: string): DeliverInput[] {
  if (plan.state !== 'active') return [];
  const { run: number, page_size } = plan;
  return plan.windows.map((window) => ({
    channel: slug,
    trigger: 'schedule',
    run: number,
    page_size,
    done: NOTHING_YET,
    first: true,
    ...window,
  }));
}

/** A whole run: plan, then one attempt a window. */
export async function run(
  deps: { store: Store; agent: Agent },
  slug: string,
  pages?: number,
): Promise<DeliverResult[]> {
  const results: DeliverResult[] = [];
  for (const input of inputsOf(await planRun(deps.store, slug), slug)) {
    results.push(await attempt(deps, input, pages));
  }
  return results;
}
