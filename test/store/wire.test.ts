import type { CommandStartedEvent, CommandSucceededEvent, Document, Timestamp } from 'mongodb';
import { createDeliverPages } from '../../activities/deliver/deliver-pages';
import { createPlanRun } from '../../activities/plan-run';
import type { DeliverInput, RunPlan } from '../../domain/deliveries/delivery';
import type { CustomerAgent } from '../../outbound/create-agent';
import type { Store } from '../../store/store';
import { findChannel } from '../../store/channels/channels';
import { readDigestBase } from '../../store/digest/digest-base';
import type { Marker } from '../../store/markers/markers';
import { readCeiling, seeNewest } from '../../store/records/counters';
import { noteComplete } from '../../store/digest/complete-through';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { deliveryWorkflowId } from '../../workflows/messages';
import { type SentCommand, watchCommands } from '../bench/count-commands';
import { inputsOf } from '../setup/activity-worker';
import { asActivity } from '../setup/as-activity';
import { FakeCustomer } from '../setup/fake-customer';
import { MANY, pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { slowTest } from '../setup/cases';
import { SLUG, stand } from '../setup/stand';

// What only a failover would show: which concern, session and time each command goes out with.

const KEY = { channel: SLUG, partner_id: 'policy-1', farmer: 'dale', account: '42-1001' };

let store: Store;
let customer: FakeCustomer;
let agent: CustomerAgent;

beforeEach(async () => {
  ({ store, customer, agent } = await stand({
    customer: 'confirms',
    channel: { scope: 'subscribed', entity_types: ['tickets'] },
  }));
});

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];
const READS = ['find', 'aggregate', 'count'];
// What decides which records are passed over.
const DECIDING = ['channels', 'counters', 'markers', 'subscriptions', 'tickets'];

interface Concerned {
  writeConcern?: { w?: unknown };
  readConcern?: { level?: string; afterClusterTime?: Timestamp };
  lsid?: { id: { toString(encoding: 'hex'): string } };
  startTransaction?: boolean;
  autocommit?: boolean;
  txnNumber?: unknown;
}

/** A command, the time of the last answer in its session before it, and that of its own answer. */
type Sent = SentCommand & Times;

interface Times {
  seen: Timestamp | undefined;
  answered?: Timestamp;
}

/** As `watchCommands`, with the read concern as it went out: the driver changes one object for all reads of a client. */
async function watch(work: () => Promise<unknown>): Promise<Sent[]> {
  const times = new Map<string | undefined, Timestamp>();
  const underWay = new Map<number, { session: string | undefined; sent: Times }>();
  const asSent = new Map<object, Times & { readConcern: Concerned['readConcern'] }>();
  const started = ({ requestId, command }: CommandStartedEvent) => {
    const { lsid, readConcern } = command as Concerned;
    const session = lsid?.id.toString('hex');
    const sent = { seen: times.get(session), readConcern: readConcern && { ...readConcern } };
    underWay.set(requestId, { session, sent });
    asSent.set(command, sent);
  };
  const answered = ({ requestId, reply }: CommandSucceededEvent) => {
    const { operationTime } = reply as { operationTime?: Timestamp };
    const { session, sent } = underWay.get(requestId) ?? {};
    if (!operationTime || !sent) return;
    times.set(session, operationTime);
    sent.answered = operationTime;
  };
  store.client.on('commandStarted', started).on('commandSucceeded', answered);
  try {
    const sent = await watchCommands(store, work);
    return sent.map((one) => {
      const { readConcern, ...seen } = asSent.get(one.command)!;
      return { ...one, ...seen, command: { ...one.command, readConcern } };
    });
  } finally {
    store.client.off('commandStarted', started).off('commandSucceeded', answered);
  }
}

const wire = ({ command }: SentCommand) => command as Concerned;
const sessionOf = (sent: SentCommand) => wire(sent).lsid?.id.toString('hex');
const inTransaction = (sent: SentCommand) => wire(sent).autocommit === false;
const titleOf = ({ name, collection }: SentCommand) => `${name} ${collection}`;

const noted = (note: string) => ({ tickets: [{ id: 'T1', account_id: '1001', note }] });

/** Everything is acknowledged by the majority: what stands alone, and what a transaction commits. */
function expectMajority(sent: SentCommand[]): void {
  const alone = sent.filter((one) => WRITES.includes(one.name) && !inTransaction(one));
  const commits = sent.filter(({ name }) => name === 'commitTransaction');
  for (const one of [...alone, ...commits])
    expect([titleOf(one), wire(one).writeConcern?.w]).toEqual([titleOf(one), 'majority']);
  const begins = sent.filter(
    (one) => wire(one).startTransaction || (READS.includes(one.name) && !inTransaction(one)),
  );
  for (const one of begins)
    expect([titleOf(one), wire(one).readConcern?.level]).toEqual([
      titleOf(one),
      expect.stringMatching(/^(majority|linearizable)$/),
    ]);
}

/** They are of one session, and each read sees at least what the session has seen before. */
function expectCausal(sent: Sent[]): void {
  expect(new Set(sent.map(sessionOf)).size).toBe(1);
  const reads = sent.filter((one) => READS.includes(one.name) && !inTransaction(one)).slice(1);
  expect(reads.length).toBeGreaterThan(0);
  const behind = reads.filter((one) => {
    const after = wire(one).readConcern?.afterClusterTime;
    return !after || !one.seen || after.lessThan(one.seen);
  });
  expect(behind.map(titleOf)).toEqual([]);
}

/** The first is a linearizable read without a time, as mongod wants it; the others are of one session, and see what it saw. */
function expectCausalAfterProof([proof, ...reads]: Sent[]): void {
  expect([titleOf(proof!), wire(proof!).readConcern]).toEqual(['find counters', { level: 'linearizable' }]);
  expect(new Set(reads.map(sessionOf)).size).toBe(1);
  expect(reads.length).toBeGreaterThan(0);
  const behind = reads.filter((one) => {
    const after = wire(one).readConcern?.afterClusterTime;
    return !after || after.lessThan(proof!.answered!);
  });
  expect(behind.map(titleOf)).toEqual([]);
}

/** All writes are of one transaction, whose first command is this. */
function expectOneTransaction(sent: SentCommand[], first: string): void {
  const inside = sent.filter(inTransaction);
  expect(titleOf(inside[0]!)).toBe(first);
  expect(wire(inside[0]!).startTransaction).toBe(true);
  expect(inside.at(-1)!.name).toBe('commitTransaction');
  expect(new Set(inside.map((one) => `${sessionOf(one)} ${String(wire(one).txnNumber)}`)).size).toBe(1);
  expect(sent.filter((one) => WRITES.includes(one.name) && !inTransaction(one)).map(titleOf)).toEqual([]);
  expectMajority(sent);
}

const plan = () => asActivity('test', createPlanRun({ store }), { slug: SLUG, trigger: 'schedule' as const });

function deliver(input: DeliverInput) {
  const workflowId = deliveryWorkflowId(SLUG, input.entity_type, input.run);
  const deliverPages = createDeliverPages({ store, agent, retentionDays: 1, draining: () => false });
  return asActivity(workflowId, deliverPages, input);
}

const isProof = (sent: Sent) => wire(sent).readConcern?.level === 'linearizable';

const deciding = (sent: Sent[]) =>
  sent.filter(({ name, collection }) => READS.includes(name) && DECIDING.includes(collection));

/** The collections in the order in which they were first read. */
const order = (sent: Sent[]) => [...new Set(deciding(sent).map(({ collection }) => collection))];

slowTest(
  'a push is one transaction, whose first command takes the counter, and which the majority commits',
  async () => {
    const words = { tickets: '2026-11-30' };
    const sent = await watch(() => pushRecords(store, noted('first'), undefined, undefined, words));
    expectOneTransaction(sent, 'findAndModify counters');
    expect(sent.map(titleOf)).toEqual(expect.arrayContaining(['find erp_words', 'update erp_words']));
  },
);

slowTest(
  'a push that changes nothing is found so after a linearizable read, and looked at again once it has the counter',
  async () => {
    const many = { tickets: MANY };
    await pushRecords(store, many);
    const sent = await watch(() => pushRecords(store, many));
    expectMajority(sent);
    expectOneTransaction(sent, 'findAndModify counters');
    const proof = sent.findIndex(isProof);
    const look = sent.slice(proof).filter((one) => one.name === 'find' && !inTransaction(one));
    expect(look.map(titleOf)).toEqual(['find counters', 'find counters', 'find tickets']);
    expectCausalAfterProof(look);
    const again = sent.filter((one) => one.name === 'find' && inTransaction(one));
    expect(again.map(titleOf)).toEqual(['find tickets']);
  },
);

test('a plan reads in one causal session: the channel, the ceilings, the marker, who shares, then records', async () => {
  await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
  await plan();
  await pushRecords(store, noted('first'));
  const sent = await watch(plan);
  expect(order(sent)).toEqual(['channels', 'counters', 'markers', 'subscriptions', 'tickets']);
  expectCausal(deciding(sent));
  expectMajority(sent);
});

slowTest('a plan looks at who shares after the ceilings and after the marker it goes by', async () => {
  await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
  await plan();
  await pushRecords(store, noted('first'));
  const sent = await watch(plan);
  const filters = sent.map(
    ({ collection, command }) => [collection, command['filter'] as Document | undefined] as const,
  );
  const last = (wanted: string, of: (filter: Document) => boolean = () => true) =>
    filters.findLastIndex(([collection, filter]) => collection === wanted && filter && of(filter));
  const ceilings = last('counters');
  const marker = last('markers', ({ _id }) => Array.isArray(_id?.$in));
  const selection = last('subscriptions', ({ to_begin }) => to_begin?.$ne === 'tickets');
  expect(ceilings).toBeGreaterThan(-1);
  expect([ceilings, marker, selection, last('tickets')]).toEqual(
    [ceilings, marker, selection, last('tickets')].sort((a, b) => a - b),
  );
});

slowTest(
  'catch-ups are begun in one transaction of the plan’s own session, whose first command moves shares_version',
  async () => {
    await pushRecords(store, noted('first'));
    await plan();
    await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
    const sent = await watch(plan);
    const inside = sent.filter(inTransaction);
    expect(titleOf(inside[0]!)).toBe('findAndModify channels');
    expectCausal([...deciding(sent), ...inside]);
    expectMajority(sent);
  },
);

slowTest(
  'an attempt takes its epoch and reads in one causal session; what it writes is the majority’s',
  async () => {
    await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
    await plan();
    await pushRecords(store, noted('first'));
    const [input] = inputsOf((await plan()) as RunPlan, SLUG);
    const sent = await watch(() => deliver(input!));
    expect(customer.pages).toHaveLength(1);
    const epoch = sent.filter(({ name, collection }) => name === 'findAndModify' && collection === 'markers');
    expect(epoch).toHaveLength(1);
    expectCausal([...deciding(sent).filter((one) => !isProof(one)), ...epoch]);
    expect(order(sent)).toEqual(['counters', 'channels', 'subscriptions', 'tickets']);
    expectMajority(sent);
  },
);

test('a page is claimed by a linearizable read with a time limit, behind its records and before its POST', async () => {
  await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
  await plan();
  await pushRecords(store, noted('first'));
  const [input] = inputsOf((await plan()) as RunPlan, SLUG);
  const sent = await watch(() => deliver(input!));
  expect(customer.pages).toHaveLength(1);
  const claim = deciding(sent).slice(-2);
  expect(claim.map(titleOf)).toEqual(['find counters', 'find channels']);
  expect(claim[0]!.command['maxTimeMS']).toBe(10_000);
  expectCausalAfterProof(claim);
});

slowTest('pages are asked for in position order, whichever index the server takes', async () => {
  await grantAccounts(store, (await findChannel(store, SLUG))!, [KEY]);
  await plan();
  await pushRecords(store, noted('first'));
  const [input] = inputsOf((await plan()) as RunPlan, SLUG);
  for (const read of ['range', 'positions'] as const) {
    const sent = await watch(() => deliver({ ...input!, read }));
    const asked = sent.filter(({ name, collection }) => name === 'find' && collection === 'tickets');
    expect(asked.length).toBeGreaterThan(0);
    for (const { command } of asked)
      expect([...(command['sort'] as Map<string, number>)]).toEqual([['position', 1]]);
    await store.db.collection<Marker>('markers').updateMany({}, { $set: { position: 0 } });
  }
});

test('a reset looks for its floor in a causal session that begins with a linearizable read', async () => {
  await pushRecords(store, noted('first'));
  const channel = (await findChannel(store, SLUG))!;
  const sent = await watch(() => resetChannelMarker(store, channel, 'tickets', new Date(0)));
  const [proof, ceiling, ...more] = sent.filter(({ name }) => name === 'find');
  const floor = more.filter((one) => one.collection === 'tickets' && sessionOf(one) === sessionOf(ceiling!));
  expect(floor.length).toBeGreaterThan(0);
  expectCausalAfterProof([proof!, ceiling!, ...floor]);
  expectMajority(sent);
});

test('how far companies are complete is read in one causal session that begins with a linearizable read', async () => {
  await pushRecords(store, noted('first'));
  const sent = await watch(() => noteComplete(store, SLUG));
  const reads = sent.filter(({ name }) => READS.includes(name));
  expect(reads.map(titleOf)).toEqual(
    expect.arrayContaining(['find markers', 'find set_aside', 'find tickets']),
  );
  expectCausalAfterProof(reads);
  expectMajority(sent);
});

slowTest('a digest reads in one causal session that begins with a linearizable read', async () => {
  await pushRecords(store, noted('first'));
  const sent = await watch(() =>
    store.client.withSession({ causalConsistency: true }, (session) =>
      readDigestBase(store, SLUG, 'tickets', session),
    ),
  );
  expectCausalAfterProof(deciding(sent));
});

test('a linearizable read goes without a time in a session that has read before', async () => {
  const sent = await watch(() =>
    store.client.withSession({ causalConsistency: true }, async (session) => {
      await readCeiling(store, 'tickets', session);
      await pushRecords(store, noted('first'));
      await seeNewest(store, session);
      await readCeiling(store, 'tickets', session);
    }),
  );
  const [first, proof, last] = deciding(sent).filter(({ collection }) => collection === 'counters');
  expect(sessionOf(last!)).toBe(sessionOf(first!));
  expectCausalAfterProof([proof!, last!]);
});

slowTest(
  'a grant and a revoke are one transaction each, whose first command moves shares_version',
  async () => {
    const channel = (await findChannel(store, SLUG))!;
    const granted = await watch(() => grantAccounts(store, channel, [KEY]));
    expectOneTransaction(granted, 'findAndModify channels');
    const revoked = await watch(() => revokeAccounts(store, [KEY]));
    expectOneTransaction(revoked, 'findAndModify channels');
  },
);
