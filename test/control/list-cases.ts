import { CHANNEL, type Caller } from '../../api/http/route';
import type { AnyList } from '../../control/list';
import { companiesList } from '../../control/list-companies';
import { deliveriesList } from '../../control/list-deliveries';
import { markersList } from '../../control/list-markers';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import type { Store } from '../../store/store';

/** One list, read through every door (lists.test.ts). Three tickets of account 42-1001 are stored. */
export interface ListCase {
  list: AnyList;
  /** The words of its command; `@` is the channel. */
  gdx: string;
  plant(store: Store, slug: string): Promise<unknown>;
  /** What leaves the list of a channel empty, where nothing at all does not. */
  plantNothing?(store: Store, slug: string): Promise<unknown>;
  /** What tells the listed ones apart at every door: the member of the API, the column of the page. */
  mark: { member: string; column: string };
  /** The marks, in order. */
  marks: string[];
  /** Those at a door that lists others as well, in order. */
  marksAt?: Partial<Record<'/ops' | '/customer' | 'gdx', string[]>>;
  /** The one with the first mark, whole: as customers are told it by the API, and what `--json` has beside. */
  told: (slug: string) => object;
  besides: object;
  /** Its line in the table of `gdx`. */
  line: RegExp;
  /** Words and figures in what is stored that customers read at no door, with the doors that show them to operators. */
  hidden: Record<string, ('/ops' | 'gdx')[]>;
  empty: { api: object; page: string; gdx: string };
  /** Only some, asked for at each kind of door. */
  narrowed: { api: string; page: string; gdx: string; marks: string[] }[];
  wrong: { api: [query: string, field: string][]; page: string[]; gdx: [words: string, says: RegExp][] };
}

const INSIDE = 'Acme has a base URL that points to 10.9.8.7, a private address: gdx channel set';
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 8, minute));

/** Thirty, newest last; three share each instant, so that the cursor must tell them apart. */
const manyDeliveries = (channel: string) =>
  Array.from({ length: 30 }, (_, index): DeliveryDocument => {
    const failed = index === 29;
    return {
      ...{ _id: `delivery/${channel}/tickets/${100 + index}`, channel, catch_up: false, run: 100 + index },
      ...{ entity_type: index % 2 ? 'tickets' : 'accounts', trigger: 'schedule', from: 0, to: 4_711_001 },
      ...{ workflow_run_id: 'kept-run', request_id: null, status: failed ? 'failed' : 'delivered' },
      ...{ failure: failed ? 'misconfigured' : null, failure_message: failed ? INSIDE : null },
      ...{ pages: 2, records: 1_001 + index, bytes: 4_711_002, attempts: 4_711_003 },
      failed_attempts: [
        {
          ...{ at: at(59), failure: 'misconfigured', status: null, answer: '', request_id: 'r-1' },
          reason: 'acme.example points to 10.9.8.6, a private address',
        },
      ],
      ...{ started_at: at(Math.floor(index / 3)), ended_at: failed ? at(40) : null, expires_at: at(1e6) },
      judged: { at: at(41), steps: 'kept-steps' } as never,
    };
  });

const MARKS = Array.from({ length: 30 }, (_, index) => `${1_030 - index}`);
const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const untold = (entity_type: string) => ({
  ...{ _id: '', entity_type, generation: 1, epoch: 4_711_004, position: 1, high: 4_711_004 },
  ...{ timestamp: at(1), delivered_at: at(2), last_reset: { timestamp: at(3), at: at(4) } },
  stumble: { delivery: 'kept-stumble', deliveries: 1 },
});

export const LIST_CASES: ListCase[] = [
  {
    list: markersList,
    gdx: 'marker show @',
    async plant(store, channel) {
      const markers = store.db.collection<{ _id: string }>('markers');
      for (const type of ['tickets', 'accounts'])
        await markers.insertOne({ ...untold(type), _id: `${channel}/${type}`, channel } as never);
    },
    mark: { member: 'entity_type', column: 'Entity type' },
    marks: ['accounts', 'contracts', 'tickets', 'settlements'],
    told: () => ({
      ...{ entity_type: 'accounts', timestamp: '2026-11-21T08:01:00.000Z', pending_records: 0 },
      delivered_at: '2026-11-21T08:02:00.000Z',
      last_reset: { timestamp: '2026-11-21T08:03:00.000Z', at: '2026-11-21T08:04:00.000Z' },
    }),
    besides: {},
    line: /^accounts +2026-11-21T08:01:00.000Z +0 +2026-11-21T08:02:00.000Z +2026-11-21T08:03:00.000Z +2026-11-21T08:04:00.000Z$/m,
    hidden: { '4711004': [], 'kept-stumble': [] },
    empty: {
      api: {
        data: [0, 0, 3, 0].map((pending_records, index) => ({
          ...{ entity_type: ENTITY_TYPES[index], pending_records },
          ...{ timestamp: null, delivered_at: null, last_reset: null },
        })),
      },
      ...{ page: 'nothing yet', gdx: '' },
    },
    narrowed: [],
    wrong: { api: [['limit=1', 'limit']], page: [], gdx: [['--limit 1', /unknown option '--limit'/]] },
  },
  {
    list: companiesList,
    gdx: 'channel companies @',
    async plant(store, slug) {
      for (const [company, name] of [
        ['42', 'Prairie Co-op'],
        ['7', 'Bluestem'],
        ['9', 'Not carried'],
      ] as const) {
        const _id = `kept-${company}`;
        const integration = {
          _id,
          name,
          company: { id: company, name },
          token_hashes: [_id],
          created_at: at(company === '42' ? 0 : 1),
        };
        await store.db
          .collection<{ _id: string }>('integrations')
          .replaceOne({ _id }, integration, { upsert: true });
        const activity = { last_at: at(6), silent_at: company === '7' ? at(7) : null, records: 4_711_005 };
        await store.db
          .collection<{ _id: string }>('push_activity')
          .replaceOne({ _id }, activity, { upsert: true });
      }
      const aside = {
        _id: `${slug}/tickets/42-1`,
        channel: slug,
        entity_type: 'tickets',
        record: '42-1',
        position: 4_711_006,
      };
      await store.db.collection<{ _id: string }>('set_aside').insertOne(aside);
      const but = [{ company: '7', through: at(4), passed: { tickets: 6 } }];
      const passed = Object.fromEntries(ENTITY_TYPES.map((type) => [type, 0]));
      const said = [5, 6, 7].map((position) => ({ through: `2026-11-1${position}`, position }));
      await store.db
        .collection<{ _id: string }>('erp_words')
        .replaceOne({ _id: '7/tickets' }, { said }, { upsert: true });
      await store.db
        .collection<{ _id: string }>('channels')
        .updateOne({ _id: slug }, { $set: { companies: ['7', '42'], complete: { at: at(5), passed, but } } });
    },
    plantNothing: (store, slug) =>
      store.db
        .collection<{ _id: string }>('channels')
        .updateOne({ _id: slug }, { $set: { companies: ['nobody'] } }),
    mark: { member: 'name', column: 'Company' },
    marks: ['Bluestem', 'Prairie Co-op'],
    told: () => ({
      ...{ company: '7', name: 'Bluestem', last_push_at: '2026-11-21T08:06:00.000Z' },
      ...{ silent_since: '2026-11-21T08:06:00.000Z', complete_through: '2026-11-21T08:04:00.000Z' },
      erp_complete_through: { tickets: '2026-11-16' },
      set_aside: 0,
    }),
    besides: {},
    line: /^7 +Bluestem +2026-11-21T08:06:00.000Z +2026-11-21T08:06:00.000Z +2026-11-21T08:04:00.000Z +tickets 2026-11-16 +0$/m,
    hidden: { 'Not carried': [], '4711005': [], '4711006': [] },
    empty: { api: { data: [] }, page: 'No companies', gdx: 'No companies' },
    narrowed: [],
    wrong: { api: [['limit=1', 'limit']], page: [], gdx: [['--limit 1', /unknown option '--limit'/]] },
  },
  {
    list: deliveriesList,
    gdx: 'deliveries @',
    plant: (store, slug) =>
      store.db.collection<DeliveryDocument>('deliveries').insertMany(manyDeliveries(slug)),
    mark: { member: 'records', column: 'Records' },
    marks: MARKS,
    told: (slug) => ({
      ...{ id: `delivery/${slug}/tickets/129`, entity_type: 'tickets', status: 'failed', pages: 2 },
      failure: 'misconfigured',
      failure_message:
        'Acme has a base URL that points to a private address. Check the address ({your base URL}/feed), that it takes POST, and the certificate. Redirects are not followed.',
      ...{ records: 1_030, set_aside: 0 },
      ...{ started_at: '2026-11-21T08:09:00.000Z', ended_at: '2026-11-21T08:40:00.000Z' },
    }),
    besides: {
      ...{ trigger: 'schedule', request_id: null, bytes: 4_711_002, failure_message: INSIDE },
      failed_attempts: [expect.objectContaining({ reason: expect.stringContaining('10.9.8.6') })],
    },
    line: /^2026-11-21T08:09:00.000Z +tickets +failed +2 +1,030 +0 +1860.0 +schedule +Acme has .* delivery\/.*\/129$/m,
    hidden: {
      ...{ '10.9.8.7': ['/ops', 'gdx'], '10.9.8.6': ['/ops', 'gdx'], '4711002': ['gdx'] },
      ...{ '4711001': [], '4711003': [], 'kept-steps': [] },
    },
    empty: {
      api: { data: [], next: null },
      ...{ page: 'Nothing has been sent yet', gdx: 'No deliveries found' },
    },
    narrowed: [
      {
        ...{ api: 'entity_type=tickets&status=failed', page: 'entity=tickets&status=failed' },
        ...{ gdx: '--entity tickets --status failed', marks: ['1030'] },
      },
      {
        ...{ api: 'status=superseded', page: 'status=superseded&entity=', gdx: '--status superseded' },
        marks: [],
      },
      {
        ...{ api: 'entity_type=accounts', page: 'entity=accounts', gdx: '--entity accounts' },
        marks: MARKS.filter((mark) => Number(mark) % 2 === 1),
      },
    ],
    wrong: {
      api: [
        ...['0', '201', '-1', '1.5', '1e2', '', '1&limit=2'].map((limit): [string, string] => [
          `limit=${limit}`,
          'limit',
        ]),
        ...([
          ['status=done', 'status'],
          ['status=__proto__', 'status'],
        ] as [string, string][]),
        ...([
          ['entity_type=elevators', 'entity_type'],
          ['entity_type=', 'entity_type'],
        ] as [string, string][]),
        ...[
          '',
          '%00',
          'garbage',
          cursor(null),
          cursor([1]),
          cursor([1e300, 'x']),
          cursor(['soon', 'x']),
          cursor([null, 'x']),
          cursor([1, { $gt: '' }]),
        ].map((after): [string, string] => [`after=${after}`, 'after']),
        ['limit=x&status=x&entity_type=x&after=x', 'after entity_type limit status'],
        ['statu=failed', 'statu'],
      ],
      page: ['status=perhaps', 'entity=elevators', 'after=garbage'],
      gdx: [
        ['--limit 201', /1 to 200/],
        ['--entity elevators', /Allowed choices are accounts, contracts, tickets, settlements/],
        ['--status done', /Allowed choices are running, delivered, failed, superseded, resized/],
      ],
    },
  },
];

/** The routes of the lists in `/api`, with who may call each. */
export const LIST_CALLERS: Record<string, Caller> = Object.fromEntries(
  LIST_CASES.map(({ list }) => [`GET ${CHANNEL}${list.api.path}`, 'channel']),
);
