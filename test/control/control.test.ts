import { randomUUID } from 'node:crypto';
import { pause, resume } from '../../control/pause-and-resume';
import type { Asker, Parts, Result } from '../../control/record-action';
import { release } from '../../control/release';
import { deliver } from '../../control/request-delivery';
import { reset } from '../../control/reset';
import { listActions } from '../../store/callers/operator-actions';
import { listWaiting } from '../../store/alerts/customer-notices';
import { type Channel, findChannel, pauseChannel } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { countAttempt } from '../../store/codes/attempt-counts';
import { setAside } from '../../store/deliveries/set-aside';
import type { Store } from '../../store/store';
import type { ChannelClient } from '../../temporal/channel-client';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { overWithin } from '../setup/over-within';
import { pushRecords } from '../setup/push-records';

const ALL = { record: new Map(), which: 'all' };
const TICKETS = { entity_type: 'tickets', timestamp: new Date('2026-10-01T00:00:00Z') } as const;

let store: Store;
beforeAll(async () => {
  store = await emptyStore();
});

const asker = (): Asker & { reason: string } => ({
  by: 'Maria',
  via: '/ops',
  reason: 'Their backup',
  request_id: 'r-1',
  action_id: randomUUID(),
});

/** What happens, in its order: writes to collections by name, signals as `signal`. */
function watched(heard = true): { parts: Parts; steps: string[] } {
  const steps: string[] = [];
  const writing = rewire(store, async ({ collection, method, run }) => {
    if (/^(insert|update|findOneAnd|delete)/.test(method)) steps.push(collection);
    if (collection === 'operator_actions') expect(method).toMatch(/^(insert|find$)/); // the API may do no more
    return run();
  });
  const { temporal } = hearingSignals(heard);
  const signalling = new Proxy(temporal, {
    get: (target, name: keyof ChannelClient) =>
      ['markerReset', 'deliverNow', 'settingsChanged'].includes(name)
        ? (...args: never[]) => (
            steps.push('signal'),
            (target[name] as (...given: never[]) => unknown)(...args)
          )
        : target[name],
  });
  return { parts: { store: writing, temporal: signalling }, steps };
}

type Act = (parts: Parts, channel: Channel, by: Asker & { reason: string }) => Promise<Result | undefined>;

const ACTS: [string, string[], Act][] = [
  ['pause', ['channels'], (parts, channel, by) => pause.run(parts, channel, {}, by)],
  ['resume', ['channels'], (parts, channel, by) => resume.run(parts, channel, {}, by)],
  ['deliver', [], (parts, channel, by) => deliver.run(parts, channel, {}, by)],
  ['reset', ['markers'], (parts, channel, by) => reset.run(parts, channel, TICKETS, by)],
  ['release', ['set_aside'], (parts, channel, by) => release.run(parts, channel, ALL, by)],
];

async function preparedFor(action = ''): Promise<Channel> {
  const slug = `acme-${randomUUID().slice(0, 8)}`;
  const { channel } = await addTestChannel(store, slug, 'https://acme.example');
  await setAside(store, {
    ...{ channel: slug, entity_type: 'tickets', record: '42-1', position: 1, failure: 'refused' },
    ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
  });
  if (action === 'resume') await pauseChannel(store, slug, 'asked');
  return channel;
}
const prepared = () => preparedFor();

describe.each(ACTS)('%s', (action, truth, act) => {
  const prepared = () => preparedFor(action);

  test('is recorded, then written, then signalled; at last its outcome is recorded', async () => {
    const { parts, steps } = watched();
    const channel = await prepared();
    const result = await act(parts, channel, asker());
    expect([...new Set(steps)]).toEqual(['operator_actions', ...truth, 'signal']);
    expect([steps[0], steps.at(-1)]).toEqual(['operator_actions', 'operator_actions']);
    expect(await listActions(store, channel._id, 9)).toMatchObject([
      { action, by: 'Maria', via: '/ops', reason: 'Their backup', outcome: result!.outcome },
    ]);
  });

  test('cut off in the middle, it stays recorded without an outcome', async () => {
    const { parts } = watched();
    const channel = await prepared();
    const killed = () => Promise.reject(new Error('killed'));
    const temporal = {
      ...hearingSignals().temporal,
      markerReset: killed,
      deliverNow: killed,
      settingsChanged: killed,
    };
    await expect(act({ ...parts, temporal }, channel, asker())).rejects.toThrow('killed');
    expect(await listActions(store, channel._id, 9)).toMatchObject([{ action, outcome: null }]);
  });

  test('asked for again with the same id, it is not done again', async () => {
    const channel = await prepared();
    const by = asker();
    await act(watched().parts, channel, by);
    const { parts, steps } = watched();
    expect(await act(parts, channel, by)).toBeUndefined();
    expect(steps).toEqual(['operator_actions']); // refused by its unique _id
  });

  test('with Temporal away the outcome says so', async () => {
    const result = await act(watched(false).parts, await prepared(), asker());
    expect(result).toMatchObject({
      signalled: false,
      outcome: expect.stringContaining('Temporal does not answer'),
    });
  });
});

test('a paused channel delivers nothing by hand, and nothing is recorded', async () => {
  const { _id: slug } = await prepared();
  await pause.run(watched().parts, (await findChannel(store, slug))!, {}, asker());
  const paused = (await findChannel(store, slug))!;
  await expect(deliver.run(watched().parts, paused, {}, asker())).rejects.toThrow('the channel is paused');
  expect(await listActions(store, slug, 9)).toHaveLength(1);
});

test('a channel that was not paused runs as before, and its customer is told nothing', async () => {
  const { _id: slug } = await prepared();
  await setChannel(store, slug, { notify_url: 'https://acme.example/hooks' });
  const resumed = async () => {
    const result = await resume.run(watched().parts, (await findChannel(store, slug))!, {}, asker());
    return [result!.outcome, (await listWaiting(store, slug)).map(({ type }) => type)];
  };
  expect(await resumed()).toEqual(['It was not paused: it runs as before.', []]);
  await pauseChannel(store, slug, 'asked');
  expect((await resumed())[1]).toEqual(['channel.resumed']);
});

test('of two who pause a channel at the same moment its customer hears once', async () => {
  const { _id: slug } = await prepared();
  await setChannel(store, slug, { notify_url: 'https://acme.example/hooks' });
  const read = (await findChannel(store, slug))!;
  for (let time = 0; time < 2; time++) await pause.run(watched().parts, read, {}, asker());
  expect((await listWaiting(store, slug)).map(({ type }) => type)).toEqual(['channel.paused']);
});

test('the pages of a release carry the request that asked for it', async () => {
  const { _id: slug } = await prepared();
  const told: unknown[][] = [];
  const settingsChanged = async (...said: unknown[]) => told.push(said) > 0;
  const parts = { store, temporal: { ...hearingSignals().temporal, settingsChanged } };
  await release.run(parts, (await findChannel(store, slug))!, ALL, asker());
  expect(told).toEqual([[slug, 'released', 'r-1']]);
});

test.each([
  ['no type', new Map()],
  ['an empty list of a type', new Map([['tickets', []]] as const)],
])('a release that names %s releases nothing, and says so', async (_, chosen) => {
  const channel = await prepared();
  expect(await release.run(watched().parts, channel, { record: chosen, which: '' }, asker())).toMatchObject({ released: 0, outcome: 'None of these was set aside any more.' }); // prettier-ignore
});

test('a preview of a reset says so where nothing can start it now', async () => {
  const channel = await prepared();
  const preview = async (heard: boolean) =>
    (await reset.preview!(watched(heard).parts, (await findChannel(store, channel._id))!, TICKETS)).starts;
  expect(await preview(false)).toBe('next_run');
  await pause.run(watched().parts, channel, {}, asker());
  expect(await preview(true)).toBe('paused');
});

test.each(['/customer', 'API'] as const)(
  'a customer resets 60 times a minute at most by %s, and no more is recorded',
  async (via) => {
    const channel = await prepared();
    await countAttempt(store, `reset/${channel._id}`, { limit: 60, windowMs: 60_000 }, 60);
    const refused = reset.run(watched().parts, channel, TICKETS, { ...asker(), via });
    await expect(refused).rejects.toMatchObject({ name: 'TooManyActions' });
    expect(await listActions(store, channel._id, 9)).toEqual([]);
    expect(await reset.run(watched().parts, channel, TICKETS, asker())).toBeDefined(); // the operator may
  },
);

test('a preview of a reset writes nothing', async () => {
  const { parts, steps } = watched();
  expect(await reset.preview!(parts, await prepared(), TICKETS)).toEqual({
    resent: { records: 0, pages: 0 },
    starts: 'now',
  });
  expect(steps).toEqual([]);
});

test('what a reset sends again is counted for two seconds, and of its preview likewise', async () => {
  await pushRecords(store, { tickets: [{ id: 'T1', account_id: '1001' }] });
  const channel = await prepared();
  const { parts } = watched();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(overWithin(2_000));
  const preview = await reset.preview!(parts, channel, TICKETS);
  const done = await reset.run(parts, channel, TICKETS, asker());
  timeout.mockRestore();
  const atLeast = { records: null, pages: null, at_least: 0 };
  expect([preview.resent, done!.resent]).toEqual([atLeast, atLeast]);
});
