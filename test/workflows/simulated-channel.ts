import type { DeliveryEnd, RunPlan, Trigger } from '../../domain/deliveries/delivery';
import type { ChannelFeedInput } from '../../workflows/messages';

const actual = jest.requireActual<typeof import('@temporalio/workflow')>('@temporalio/workflow');

interface Blocked {
  isTrue: () => boolean;
  until: number;
  resolve: (isTrue: boolean) => void;
}

interface SimulatedDelivery {
  id: string;
  /** The names of the signals that the channel has sent to it. */
  signals: string[];
  end: (end: DeliveryEnd, rest?: { more: true }) => void;
}

let current: SimulatedChannel;

/**
 * A channel's workflow without a server: its activations, the length of its history and its clock are the test's. As in the
 * SDK, conditions are looked at after the jobs of an activation, and again after what they have unblocked.
 */
export class SimulatedChannel {
  now = Date.UTC(2026, 0, 1, 12);
  historyLength = 3;
  plans = 0;
  /** The operator's table. */
  details = '';
  /** What comes between the start of a delivery and the news of it. */
  whileStarting = () => {};
  readonly deliveries: SimulatedDelivery[] = [];
  /** What the next history begins with. */
  continued: ChannelFeedInput | undefined;
  private readonly blocked = new Set<Blocked>();
  private readonly handlers = new Map<string, (arg: unknown) => unknown>();

  private constructor(private readonly plan: (types: string[], trigger: Trigger) => RunPlan) {
    jest.spyOn(Date, 'now').mockImplementation(() => this.now);
  }

  static of(plan: (types: string[], trigger: Trigger) => RunPlan): SimulatedChannel {
    return (current = new SimulatedChannel(plan));
  }

  /** Runs the workflow until it waits. */
  async begin(workflow: (input: ChannelFeedInput) => Promise<void>): Promise<void> {
    workflow({ slug: 'acme' }).catch((error: unknown) => {
      if (!(error instanceof actual.ContinueAsNew)) throw error;
    });
    await this.activate();
  }

  /** One activation with these jobs. */
  async activate(...jobs: (() => unknown)[]): Promise<void> {
    for (const job of jobs) job();
    for (;;) {
      await new Promise(setImmediate); // every microtask has run then
      const unblocked = [...this.blocked].filter(({ isTrue, until }) => isTrue() || until <= this.now);
      if (unblocked.length === 0) return;
      for (const one of unblocked) {
        this.blocked.delete(one);
        one.resolve(one.isTrue());
      }
    }
  }

  readonly signal = (name: string, arg: unknown) => this.handlers.get(name)!(arg);

  /** What the code of workflows calls of the SDK. */
  readonly sdk = {
    condition: (isTrue: () => boolean, timeout = Infinity) =>
      isTrue()
        ? Promise.resolve(true)
        : new Promise<boolean>((resolve) => {
            this.blocked.add({ isTrue, until: this.now + timeout, resolve });
          }),
    continueAsNew: (input: ChannelFeedInput) => {
      this.continued = input;
      return Promise.reject(new actual.ContinueAsNew({} as never));
    },
    workflowInfo: () => ({ historyLength: this.historyLength, continueAsNewSuggested: false }),
    setHandler: ({ name }: { name: string }, handler: (arg: unknown) => unknown) =>
      void this.handlers.set(name, handler),
    patched: () => true,
    setCurrentDetails: (details: string) => void (this.details = details),
    upsertSearchAttributes: () => {},
    planRun: async (_: unknown, [asked]: [{ entity_types: string[]; trigger: Trigger }]) => {
      this.plans += 1;
      if (this.plans > 50) throw new Error('planned without end');
      return this.plan(asked.entity_types, asked.trigger);
    },
    startChild: (_: unknown, { workflowId: id }: { workflowId: string }) => {
      const signals: string[] = [];
      const report = new Promise((resolve) => {
        const end = (how: DeliveryEnd, rest = {}) =>
          resolve({ end: how, records: 1, set_aside: 0, probes: 0, attempts: 1, ...rest });
        this.deliveries.push({ id, signals, end });
      });
      this.whileStarting();
      const signal = ({ name }: { name: string }) => Promise.resolve(void signals.push(name));
      return Promise.resolve({ result: () => report, signal });
    },
  };
}

type Called = Exclude<keyof SimulatedChannel['sdk'], 'planRun'>;
const NAMES: Called[] = [
  'condition',
  'continueAsNew',
  'workflowInfo',
  'setHandler',
  'patched',
  'setCurrentDetails',
  'upsertSearchAttributes',
  'startChild',
];

const call =
  (name: keyof SimulatedChannel['sdk']) =>
  (...args: unknown[]) =>
    (current.sdk[name] as (...args: unknown[]) => unknown)(...args);

/** In the place of `@temporalio/workflow`, which works in the sandbox of a worker only. */
export const simulatedSdk = {
  ...actual,
  ...Object.fromEntries(NAMES.map((name) => [name, call(name)])),
  proxyActivities: () => ({ planRun: { executeWithOptions: call('planRun') } }),
};
