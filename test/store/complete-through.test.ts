import fc from 'fast-check';
import type { ClientSession } from 'mongodb';
import { goBy, timeNow } from '../../domain/time/elapsed';
import { addIntegration } from '../../store/callers/integrations';
import { type Channel, findChannel } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import {
  clearSetAside,
  type KnownAside,
  listSetAside,
  readSetAside,
  setAside,
} from '../../store/deliveries/set-aside';
import { listCarriedCompanies, noteComplete, wordsWithPage } from '../../store/digest/complete-through';
import {
  ensureMarkers,
  type Marker,
  markerId,
  moveMarker,
  readMarkers,
  startMarker,
  takeEpoch,
} from '../../store/markers/markers';
import { readWordsAbove, wordsBetween } from '../../store/push/erp-words';
import type { PageWords } from '../../domain/deliveries/render-page';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { readCeiling } from '../../store/records/counters';
import { records, type RecordDocument } from '../../store/records/records';
import type { Store } from '../../store/store';
import { beginCatchUps } from '../../store/markers/catch-ups';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { played, scaledTest } from '../setup/cases';
import { grantAccounts } from '../setup/share-accounts';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { SLUG, stand } from '../setup/stand';
import { openSharedScene } from '../sharing/open-shared-scene';
import { ALL_BUT_DATE } from '../setup/all-but-date';

const SECOND = 1_000;
// A time is told two seconds late, as two processes' clocks may be as far apart.
const CLOCKS_APART = 2 * SECOND;
const COMPANIES = ['7', '42'].map((id) => ({ id, name: `Company ${id}` }));

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  for (const company of COMPANIES) {
    const integration = { _id: company.id as never, name: 'erp', company, token_hashes: [company.id] };
    await store.db.collection('integrations').insertOne(integration);
  }
  jest.useFakeTimers({ now: Date.now(), doNotFake: ALL_BUT_DATE });
  goBy(() => Date.now());
});
afterEach(() => void jest.useRealTimers());

/** The ERPs say one day after the other. */
let days = 0;

const pass = (ms: number) => jest.setSystemTime(Date.now() + ms);

/** The store with something that happens after so many commands to it, at the latest at its end. */
function interrupted(meanwhile: () => Promise<void>, after: number) {
  let left = after;
  const seen = rewire(store, async ({ run }) => {
    const answer = await run();
    if (--left === 0) await meanwhile();
    return answer;
  });
  return { store: seen, end: async () => void (left > 0 && (await meanwhile())) };
}

type Copy = Pick<RecordDocument, '_id' | 'company_id' | 'position' | 'updated_at'>;

/** A channel of tickets, its customer, and all that was acknowledged for it. */
class Life {
  private readonly acknowledged: { company: string; id: string; changed: Date; at: Date }[] = [];
  private readonly said: { company: string; day: string; acknowledged: number }[] = [];
  private readonly confirmed = new Map<string, Date>();
  /** The words that pages had which were confirmed. */
  readonly given: string[] = [];
  private page: { taken: Copy[]; known: KnownAside[]; epoch: number; words: PageWords } | undefined;

  private readonly lane: { channel: string; entity_type: 'tickets' };

  constructor(private readonly slug: string) {
    this.lane = { channel: slug, entity_type: 'tickets' };
  }

  static async begin(): Promise<Life> {
    const slug = `life-${Math.random().toString(36).slice(2, 8)}`;
    await addTestChannel(store, slug, 'https://acme.example', { entity_types: ['tickets'], scope: 'all' });
    await startMarker(store, slug, 'tickets', await readCeiling(store, 'tickets'));
    return new Life(slug);
  }

  /** The last push of all says that it is complete, where that is said. */
  async push(company: number, numbers: number[], says = false): Promise<void> {
    const day = new Date(Date.UTC(2000, 0, ++days)).toISOString().slice(0, 10);
    const tickets = numbers.map((number) => ({
      id: `${number}`,
      name: `${Date.now()}-${number}`,
      account_id: 'A',
    }));
    await pushRecords(store, { tickets }, COMPANIES[company], undefined, says ? { tickets: day } : {});
    pass(SECOND);
    for (const number of numbers) {
      const id = `${COMPANIES[company]!.id}-${number}`;
      const { updated_at: changed } = (await records(store, 'tickets').findOne({ _id: id }))!;
      this.acknowledged.push({ company: COMPANIES[company]!.id, id, changed, at: timeNow() });
    }
    if (says)
      this.said.push({ company: COMPANIES[company]!.id, day, acknowledged: this.acknowledged.length });
  }

  /** `meanwhile` runs after so many commands of what is found out of words, at the latest at its end. */
  async take(most: number, meanwhile = () => Promise.resolve(), after = 0): Promise<void> {
    const { position, generation } = (await readMarkers(store, this.slug)).get('tickets')!;
    const begun = await takeEpoch(store, markerId(this.slug, 'tickets'), generation);
    const taken = await records(store, 'tickets')
      .find({ position: { $gt: position } })
      .sort({ position: 1 })
      .limit(most)
      .toArray();
    const versions = new Map(taken.map((one) => [one._id, one.position]));
    const aside = await readSetAside(store, this.lane, [...versions.keys()]);
    const known = aside.map((one) => ({ ...one, position: versions.get(one.record)! }));
    if (!begun || taken.length === 0) return void (this.page = undefined);
    const words = await this.wordsWith(begun, taken.at(-1)!.position, meanwhile, after);
    this.page = { taken, known, epoch: begun.epoch, words };
  }

  private async wordsWith(
    { _id: id, generation, epoch, position }: Marker,
    upTo: number,
    meanwhile: () => Promise<void>,
    after: number,
  ): Promise<PageWords> {
    const channel = (await findChannel(store, this.slug))!;
    const selection = { companies: [], shared: undefined };
    const fence = { id, generation, epoch };
    const seen = interrupted(meanwhile, after);
    const words = await store.client.withSession({ causalConsistency: true }, async (session) => {
      const said = wordsBetween(await readWordsAbove(store, 'tickets', position, session), position, upTo);
      const page = { channel, selection, type: 'tickets', fence, upTo, said } as const;
      return wordsWithPage(seen.store, page, session);
    });
    await seen.end();
    return words ?? {};
  }

  /** The first record is refused, where that is said. */
  async answer(isRefused: boolean): Promise<void> {
    const { taken, known, epoch, words } = this.page ?? { taken: [], known: [], epoch: 0, words: {} };
    const last = taken.at(-1);
    this.page = undefined;
    if (!last) return;
    const fence = { id: markerId(this.slug, 'tickets'), epoch };
    const progress = { delivery: 'd', pages: 1, records: taken.length, bytes: 1 };
    const move = { position: last.position, timestamp: last.updated_at, progress };
    const [first, ...others] = taken;
    const took = isRefused ? others : taken;
    const isMoved = await store.client.withSession((session: ClientSession) =>
      session.withTransaction(async () => {
        if (!(await moveMarker(store, fence, move, session))) return false;
        if (isRefused) {
          const { _id: record, position } = first!;
          const refused = { ...this.lane, record, position, failure: 'refused', status: 422 } as const;
          await setAside(store, { ...refused, answer: 'no', delivery: 'd' }, undefined, session);
        }
        const cleared = known.filter(({ record }) => took.some(({ _id }) => _id === record));
        if (cleared.length > 0) await clearSetAside(store, this.lane, cleared, session);
        return true;
      }),
    );
    if (!isMoved) return;
    for (const { _id, updated_at } of took) this.confirmed.set(_id, updated_at);
    if (isRefused) return; // what of it is confirmed after all is on other pages, without words
    for (const [company, day] of Object.entries(words)) {
      this.given.push(day);
      this.checkWord(company, day);
    }
  }

  async reset(secondsAgo: number): Promise<void> {
    const to = new Date(Date.now() - secondsAgo * SECOND);
    await resetChannelMarker(store, (await findChannel(store, this.slug))!, 'tickets', to);
    for (const [id, version] of this.confirmed) if (version >= to) this.confirmed.delete(id);
  }

  /** `meanwhile` runs after so many commands of it, at the latest at its end. */
  async note(meanwhile = () => Promise.resolve(), after = 0): Promise<void> {
    const seen = interrupted(meanwhile, after);
    await noteComplete(seen.store, this.slug);
    await seen.end();
  }

  /** Never ahead of the truth. @returns the times told */
  async check(): Promise<(Date | null)[]> {
    const told = await listCarriedCompanies(store, (await findChannel(store, this.slug))!);
    for (const { company, complete_through: through, erp_complete_through } of told) {
      const missing = this.acknowledged.filter(
        (one) => through !== null && one.at <= through && this.isMissing(company, one),
      );
      expect({ company, through, missing }).toEqual({ company, through, missing: [] });
      this.checkWord(company, erp_complete_through.tickets);
    }
    return told.map(({ complete_through }) => complete_through);
  }

  /** Of the page in flight. */
  get words(): PageWords | undefined {
    return this.page?.words;
  }

  private checkWord(company: string, day: string | undefined): void {
    const upTo = this.said.find((one) => one.day === day)?.acknowledged ?? 0;
    const unsaid = this.acknowledged.slice(0, upTo).filter((one) => this.isMissing(company, one));
    expect({ company, day, unsaid }).toEqual({ company, day, unsaid: [] });
  }

  private isMissing(of: string, { company, id, changed }: { company: string; id: string; changed: Date }) {
    return company === of && (this.confirmed.get(id) ?? new Date(0)) < changed;
  }

  /** What the ERP of the first company is told to have said of its tickets, as the number of its days since 2000. */
  async word(): Promise<number> {
    const told = await listCarriedCompanies(store, (await findChannel(store, this.slug))!);
    const { tickets } = told.find(({ company }) => company === COMPANIES[0]!.id)!.erp_complete_through;
    return tickets === undefined
      ? 0
      : Math.round((Date.parse(tickets) - Date.UTC(1999, 11, 31)) / 86_400_000);
  }
}

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
const push = fc.record({
  do: fc.constant('push' as const),
  company: fc.integer({ min: 0, max: 1 }),
  numbers: fc.oneof({ weight: 5, arbitrary: numbers }, { weight: 1, arbitrary: fc.constant<number[]>([]) }),
  says: fc.boolean(),
});
const step = fc.oneof(
  { weight: 3, arbitrary: push },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('take' as const), most: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      isRefused: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reset' as const), ago: fc.integer({ min: 0, max: 60 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function play(life: Life, one: Step, meanwhile?: () => Promise<void>, after?: number): Promise<void> {
  if (one.do === 'push') await life.push(one.company, one.numbers, one.says);
  else if (one.do === 'take') await life.take(one.most, meanwhile, after);
  else if (one.do === 'answer') await life.answer(one.isRefused);
  else await life.reset(one.ago);
}

// Of a note: the proof, the channel, its markers, what was refused, what waits, of which companies, the write. Then none is left.
const COMMANDS = [1, 2, 3, 4, 5, 6, 7, 8];

scaledTest('complete through is never ahead of what the customer has confirmed', async () => {
  const noted = fc.record({
    before: step,
    during: fc.option(step, { nil: undefined }),
    meanwhile: fc.option(step),
    command: fc.constantFrom(...COMMANDS),
    seconds: fc.integer({ min: 0, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(noted, { minLength: 3, maxLength: 12 }), async (rounds) => {
      const life = await Life.begin();
      for (const { before, during, meanwhile, command, seconds } of rounds) {
        await play(life, before, during && (() => play(life, during)), command);
        await life.check();
        pass(seconds * SECOND);
        await life.note(async () => {
          if (meanwhile) await play(life, meanwhile);
          pass(CLOCKS_APART + SECOND);
        }, command);
        await life.check();
      }
    }),
    played(20, 200),
  );
});

const MEANWHILE: [string, (life: Life) => Promise<unknown>][] = [
  ['a push', (life) => life.push(0, [2])],
  ['the first push of another company', (life) => life.push(1, [2])],
  ['a push of what waits', (life) => life.push(0, [3])],
  ['a refusal', (life) => life.answer(true)],
  ['a page, and its refusal', (life) => life.take(9).then(() => life.answer(true))],
  ['a reset', (life) => life.reset(90)],
  ['the same question', (life) => life.note()],
];

test.each(COMMANDS)(
  'whatever comes after its command %i is not told as complete, nor a time set back',
  async (command) => {
    for (const [what, act] of MEANWHILE) {
      const life = await Life.begin();
      await life.push(0, [1]);
      await life.take(9);
      await life.answer(false);
      await life.note();
      if (what === 'a refusal' || what === 'a push of what waits') await life.push(0, [3]);
      if (what === 'a refusal') await life.take(9);
      pass(10 * SECOND);
      let told: (Date | null)[] = [];
      await life.note(async () => {
        pass(10 * SECOND);
        await act(life);
        pass(10 * SECOND);
        told = await life.check();
      }, command);
      const after = await life.check();
      const isSetBack = (through: Date | null, index: number) => Number(after[index]) < Number(through);
      expect({ what, after, setBack: told.filter(isSetBack) }).toEqual({ what, after, setBack: [] });
    }
  },
);

test('complete through is now, where nothing waits, and stays where something does', async () => {
  const life = await Life.begin();
  const note = async () => {
    pass(10 * SECOND);
    await life.note();
    return new Date(Date.now() - CLOCKS_APART);
  };
  expect(await life.check()).toEqual([null, null]);
  await life.push(0, [1]);
  const first = await note();
  expect(await life.check()).toEqual([first, null]); // sorted by name: 42 first
  await life.take(9);
  await life.answer(false);
  const second = await note();
  expect(await life.check()).toEqual([second, second]);
  await life.push(1, [2]);
  const third = await note();
  expect(await life.check()).toEqual([second, third]);
});

test('complete through stays as it was while a record is refused, until its next version is confirmed', async () => {
  const life = await Life.begin();
  const note = async () => {
    pass(10 * SECOND);
    await life.note();
    return (await life.check())[1];
  };
  const before = await note();
  await life.push(0, [1]);
  await life.take(9);
  await life.answer(true);
  expect(await note()).toEqual(before);
  await life.push(0, [1]);
  expect(await note()).toEqual(before);
  await life.take(9);
  await life.answer(false);
  expect(await note()).toEqual(new Date(Date.now() - CLOCKS_APART));
});

test('where more waits than is looked at, what was known stays', async () => {
  const life = await Life.begin();
  await life.note();
  const known = await life.check();
  const tickets = Array.from({ length: 1_001 }, (_, id) => ({ id: `${id}`, name: 'T', account_id: 'A' }));
  await pushRecords(store, { tickets }, COMPANIES[0]);
  pass(10 * SECOND);
  await life.note();
  expect(await life.check()).toEqual(known);
});

test('after a reset complete through is not known until what was asked for again is confirmed', async () => {
  const life = await Life.begin();
  await life.push(0, [1]);
  pass(60 * SECOND);
  await life.take(9);
  await life.answer(false);
  await life.note();
  pass(10 * SECOND);
  await life.reset(90);
  expect(await life.check()).toEqual([null, null]);
  pass(10 * SECOND);
  await life.note();
  expect(await life.check()).toEqual([new Date(Date.now() - CLOCKS_APART), null]);
  await life.take(9);
  await life.answer(false);
  await life.note();
  expect((await life.check())[1]).toEqual(new Date(Date.now() - CLOCKS_APART));
});

test('only companies of which somebody shares are named, and none is complete while earlier records are sent', async () => {
  await addTestChannel(store, 'lender', 'https://lender.example', { scope: 'subscribed' });
  const told = async () => {
    await noteComplete(store, 'lender');
    const all = await listCarriedCompanies(store, (await findChannel(store, 'lender'))!);
    return all.map(({ company, complete_through }) => [company, complete_through !== null]);
  };
  expect(await told()).toEqual([]);
  const key = { channel: 'lender', partner_id: 'p', farmer: 'f', account: '42-A' };
  await grantAccounts(store, (await findChannel(store, 'lender'))!, [key]);
  expect(await told()).toEqual([['42', false]]);
  await ensureMarkers(store, 'lender', [...ENTITY_TYPES]);
  await store.client.withSession(async (session) => {
    for (const type of ENTITY_TYPES) await beginCatchUps(store, 'lender', type, session);
  });
  pass(10 * SECOND);
  expect(await told()).toEqual([['42', true]]); // there was nothing to send
  const granted = store.db.collection('subscriptions');
  await granted.updateMany({}, { $set: { ends_at: new Date(Date.now() + 9_000) } });
  expect(await told()).toEqual([['42', true]]);
  await granted.updateMany({}, { $set: { over: true } }); // by a process whose clock was there
  expect(await told()).toEqual([]);
  await granted.updateMany({}, { $unset: { over: 1 } });
  pass(10 * SECOND); // the revoke is written within a minute
  expect(await told()).toEqual([]);
});

/** How far company 42 is complete at the channel of a stand, and whether the time is ahead of a ticket's. */
async function toldOf(stand: { store: Store; channel: () => Promise<Channel> }, ticket: string) {
  const [told] = await listCarriedCompanies(stand.store, await stand.channel());
  const { updated_at } = (await records(stand.store, 'tickets').findOne({ _id: ticket }))!;
  const { complete_through, erp_complete_through } = told!;
  return { isAhead: complete_through !== null && complete_through >= updated_at, erp_complete_through };
}

const addErp = (to: Store) =>
  addIntegration(to, { name: 'agris', company: { id: '42', name: 'Prairie Co-op' } });
const NOT_AHEAD = { isAhead: false, erp_complete_through: {} };

test.each([false, true])(
  'an account that a farmer has begun to share since, with a record that its customer refuses, is not complete (looked at while it waits: %s)',
  async (isLookedAt) => {
    const scene = await openSharedScene(10);
    goBy(() => Date.now());
    await addErp(scene.store);
    await pushRecords(scene.store, { tickets: [{ id: 'own', account_id: '1001' }] });
    const tickets = ['refused', 'S', 'T'].map((id) => ({ id, account_id: '1002' }));
    await pushRecords(scene.store, { tickets }, undefined, undefined, { tickets: '2026-11-01' });
    const note = async () => {
      pass(10 * SECOND);
      await noteComplete(scene.store, SLUG);
      pass(10 * SECOND);
    };
    await scene.grant('1001');
    await scene.run();
    await scene.run();
    await note();
    expect(await toldOf(scene, '42-refused')).toMatchObject({ isAhead: true }); // nobody shares it yet
    await scene.grant('1002');
    if (isLookedAt) await note();
    expect(await toldOf(scene, '42-refused')).toEqual(NOT_AHEAD);
    scene.customer.script = ({ records: all }) =>
      all.some(({ remote_id }) => remote_id === 'refused') ? 422 : 200;
    for (let runs = 0; runs < 4; runs++) {
      await scene.run();
      expect(await toldOf(scene, '42-refused')).toEqual(NOT_AHEAD);
      await note();
      expect(await toldOf(scene, '42-refused')).toEqual(NOT_AHEAD);
    }
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-refused' }]);
  },
);

test('a channel that gets another type is not complete before its records are confirmed', async () => {
  const scene = await stand({ customer: 'confirms', channel: { entity_types: ['accounts'] } });
  goBy(() => Date.now());
  await addErp(scene.store);
  const tickets = [{ id: 'waits', account_id: '1001' }];
  await pushRecords(scene.store, { tickets, accounts: [{ id: '1001', name: 'A' }] });
  await scene.run();
  pass(10 * SECOND);
  await noteComplete(scene.store, SLUG);
  expect(await toldOf(scene, '42-waits')).toMatchObject({ isAhead: true }); // the channel has no tickets
  await setChannel(scene.store, SLUG, { entity_types: ['accounts', 'tickets'] });
  expect(await toldOf(scene, '42-waits')).toEqual(NOT_AHEAD);
  pass(10 * SECOND);
  await noteComplete(scene.store, SLUG);
  expect(await toldOf(scene, '42-waits')).toEqual(NOT_AHEAD);
  await scene.run();
  await noteComplete(scene.store, SLUG);
  expect(await toldOf(scene, '42-waits')).toMatchObject({ isAhead: true });
});

test('an ERP’s word is told once all that was pushed with it or before is confirmed, and the one before it until then', async () => {
  const life = await Life.begin();
  const confirm = async () => {
    await life.take(9);
    await life.answer(false);
    await life.note();
  };
  await life.note();
  await life.push(0, [1], true);
  const first = days;
  await life.note();
  expect(await life.word()).toBe(0);
  await confirm();
  expect(await life.word()).toBe(first);
  await life.push(0, [2]);
  await life.push(0, [], true); // of what was pushed before
  await life.note();
  expect(await life.word()).toBe(first);
  await confirm();
  expect(await life.word()).toBe(days);
  await life.push(0, [1]); // unlike the word, this waits
  await life.note();
  expect(await life.word()).toBe(days - 1);
  await life.reset(90);
  expect(await life.word()).toBe(0);
});

test('a word of what is refused is not told before its next version is confirmed', async () => {
  const life = await Life.begin();
  await life.push(0, [1], true);
  const word = days;
  await life.take(9);
  await life.answer(true);
  await life.note();
  expect(await life.word()).toBe(0);
  await life.push(0, [1]);
  await life.take(9);
  await life.answer(false);
  await life.note();
  expect(await life.word()).toBe(word);
});

describe('an ERP’s word goes out with the page that confirms the last record below it', () => {
  const told = async (act: (life: Life) => Promise<unknown>) => {
    const life = await Life.begin();
    await act(life);
    return life.given.length;
  };
  const confirm = async (life: Life, most = 9) => {
    await life.take(most);
    await life.answer(false);
  };

  test('and not with the page before, nor with one after it', async () => {
    const life = await Life.begin();
    await life.push(0, [1, 2, 3], true);
    await confirm(life, 2);
    expect(life.given).toEqual([]);
    await confirm(life);
    expect(life.given).toHaveLength(1);
    await life.push(0, [4]);
    await confirm(life);
    expect(life.given).toHaveLength(1);
  });

  test.each<[string, number, (life: Life) => Promise<unknown>]>([
    ['of a company of which nothing else waits', 1, (life) => life.push(1, [2])],
    ['not while a record of the company waits that changed since', 0, (life) => life.push(0, [1, 3])],
    ['not beside a record that was refused', 0, (life) => life.take(1).then(() => life.answer(true))],
  ])('%s', async (_, times, act) => {
    expect(
      await told(async (life) => {
        await life.push(0, [1, 2], true);
        await act(life);
        await confirm(life, 2);
      }),
    ).toBe(times);
  });

  test('not where a reset comes while it is found out', async () => {
    const life = await Life.begin();
    await life.push(0, [1], true);
    await confirm(life);
    expect(life.given).toHaveLength(1);
    pass(60 * SECOND);
    await life.push(0, [2], true);
    await life.take(9, () => life.reset(90), 1);
    expect(life.words).toEqual({});
  });
});
