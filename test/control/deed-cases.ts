import { CHANNEL, type Caller } from '../../api/http/route';
import { close } from '../../control/close';
import type { AnyDeed } from '../../control/deed';
import { farmerLink } from '../../control/make-farmer-link';
import { pause, resume } from '../../control/pause-and-resume';
import { release } from '../../control/release';
import { deliver } from '../../control/request-delivery';
import { tryEndpoint } from '../../control/request-test-page';
import { resend } from '../../control/resend';
import { reset } from '../../control/reset';
import { rotateSecret } from '../../control/rotate-secret';
import { setNotifyUrl } from '../../control/set-notify-url';
import { lastNotice } from '../../store/alerts/customer-notices';
import {
  type ChannelSettings,
  findChannel,
  findEvenClosed,
  pauseChannel,
} from '../../store/channels/channels';
import { rotateSigningSecret } from '../../store/channels/signing-secrets';
import { listReleased, listSetAside, setAside } from '../../store/deliveries/set-aside';
import { readMarkers, startMarker } from '../../store/markers/markers';
import { newLinkKey } from '../../store/secrets/link-keys';
import { closeChannel } from '../../store/sharing/close-channel';
import type { Store } from '../../store/store';

export type Door = 'API' | '/customer' | '/ops' | 'gdx';
type OfChannel<T> = (store: Store, slug: string) => Promise<T>;
type Typed = Record<string, string | string[]>;

/** What each kind of door is given for one deed. Left out: no door of the kind has it. */
export interface Given {
  api?: Record<string, unknown>;
  /** What is typed into the form of either page. */
  page: Typed;
  /** The words of a command; `@` is the channel. */
  gdx?: string;
}

interface Wrong<Kind extends keyof Given> {
  door: Kind;
  /** Instead of what the case gives; of a page what differs. */
  given: NonNullable<Given[Kind]>;
  says: string;
  /** Of `gdx`, where it is not 1: 2, as no channel would take it. */
  exitCode?: 2;
  before?: OfChannel<unknown>;
}

/** One deed, done through every door that has it (deeds.test.ts). Three tickets of account 42-1001 are stored. */
export interface DeedCase extends Given {
  deed: AnyDeed;
  /** Whose pages have its form. */
  pages: readonly ('/ops' | '/customer')[];
  /** What its command prints, and what programs read. Left out: a case in test/cli/command-cases says more. */
  prints?: { table: RegExp; json: object };
  settings?: Partial<ChannelSettings>;
  prepare?: OfChannel<unknown>;
  truth?: OfChannel<unknown>;
  /** The truth once it is done, and not before. */
  becomes?: unknown;
  /** What is shown of it before it is done. */
  seen?: string;
  /** Words of what it leaves behind, with the doors whose view of the channel has them once an operator has done it. */
  read?: Record<string, Exclude<Door, 'API'>[]>;
  /** What the channel's workflow hears. */
  hears?: { signal: string; args: unknown[] };
  recorded: { about?: string; before?: object; outcome: string };
  wrong: (Wrong<'api'> | Wrong<'page'> | Wrong<'gdx'>)[];
}

const TIMES = [
  ['', 'must be an RFC 3339'],
  ['2015-01-01T00:00', 'must not be before 2016'],
  ['2126-01-01T00:00', 'must not be more than 5 minutes ahead'],
  ['2026-02-30T00:00', 'must be an RFC 3339'],
] as const;
const URLS = [
  ['acme.example', 'is not a URL'],
  ['https://user:pass@acme.example/', 'must not carry a user'],
  ['https://acme.example/?token=1', 'must not have a query'],
  ['ftp://acme.example/', 'must begin with https://'],
  ['http://10.0.0.1/', 'private'],
  ['http://169.254.169.254/latest', 'points to'],
] as const;
const LINKS: [Typed, string][] = [
  [{ callback_url: 'https://evil.example/' }, 'must be at one that the operator knows'],
  [{ partner_id: ' ' }, 'Enter what you know the farmer by'],
  [{ partner_id: 'x'.repeat(129) }, 'up to 128 characters'],
  [{ phone: '555-0142' }, 'Enter ten digits'],
  [{ days: '367' }, 'Enter 1 to 366 days'],
];

const BOTH = ['/ops', '/customer'] as const;
const page = (given: Typed, says: string, before?: OfChannel<unknown>): Wrong<'page'> => ({
  ...{ door: 'page', given, says },
  ...(before && { before }),
});
const paused: OfChannel<unknown> = (store, slug) => pauseChannel(store, slug, 'harvest');
const closed: OfChannel<unknown> = (store, slug) => closeChannel(store, slug, 'contract ended');
const CLOSED = 'he channel was closed on 20';
const channelOf: OfChannel<unknown> = findEvenClosed;
const holding = (members: object): unknown => expect.objectContaining(members);

async function refuseFour(store: Store, channel: string): Promise<void> {
  for (const [entity_type, record] of [
    ['tickets', '42-1'],
    ['tickets', '42-2'],
    ['tickets', '42-10/01'],
    ['accounts', '42-1'],
  ] as const)
    await setAside(store, {
      ...{ channel, entity_type, record, position: 1, failure: 'refused' },
      ...{ status: 422, answer: 'no', delivery: 'delivery/x' },
    });
}

export const DEED_CASES: DeedCase[] = [
  {
    ...{ deed: deliver, pages: ['/ops'] },
    page: {},
    gdx: 'channel deliver @',
    prints: {
      table: /^slug +[\w-]+\nrequest_id +[\w-]{36}$/m,
      json: { slug: expect.any(String), request_id: expect.any(String) },
    },
    hears: { signal: 'deliverNow', args: [{ request_id: expect.any(String) }] },
    recorded: { outcome: 'It runs now.' },
    wrong: [
      page({}, 'The channel is paused (harvest): resume it', paused),
      {
        ...{ door: 'gdx', given: 'channel deliver @', before: paused },
        says: 'the channel is paused (harvest); resume it, and it delivers at once',
      },
    ],
  },
  {
    ...{ deed: pause, pages: ['/ops'] },
    page: {},
    gdx: 'channel pause @',
    prints: {
      table: /^state +paused\nreason +for channel pause$/m,
      json: { state: 'paused', reason: 'because' },
    },
    truth: channelOf,
    becomes: holding({ state: 'paused', paused: holding({ reason: 'because' }) }),
    read: { because: ['/ops', '/customer', 'gdx'], 'Maria Lopez': ['/ops'] },
    hears: { signal: 'settingsChanged', args: [{ reason: 'paused' }] },
    recorded: { before: { state: 'active' }, outcome: 'Nothing more is sent until it is resumed.' },
    wrong: [
      ...['', 'x'.repeat(201), 'two\nlines'].map((reason) => page({ reason }, 'Enter a reason')),
      page({}, CLOSED, closed),
      { door: 'gdx', given: 'channel pause @', says: CLOSED, before: closed },
    ],
  },
  {
    ...{ deed: resume, pages: ['/ops'] },
    page: {},
    gdx: 'channel resume @',
    prints: { table: /^state +active$/m, json: { state: 'active' } },
    prepare: paused,
    truth: channelOf,
    becomes: holding({ state: 'active' }),
    hears: { signal: 'settingsChanged', args: [{ reason: 'resumed' }] },
    recorded: {
      before: { state: 'paused', paused_because: 'harvest' },
      outcome: 'It continues from where the customer left off: now, or when the customer’s wait expires.',
    },
    wrong: [
      page({}, CLOSED, closed),
      { door: 'gdx', given: 'channel resume @', says: CLOSED, before: closed },
    ],
  },
  {
    ...{ deed: reset, pages: BOTH },
    api: { entity_type: 'tickets', timestamp: '2026-01-01T01:00:00+01:00' },
    page: { entity_type: 'tickets', timestamp: '2026-01-01T00:00' },
    gdx: 'marker reset @ tickets --timestamp 2026-01-01T00:00:00Z',
    prints: {
      table: /^resends 3 tickets, about 1 page\n$/,
      json: { timestamp: '2026-01-01T00:00:00.000Z', records: 3, pages: 1 },
    },
    prepare: (store, slug) => startMarker(store, slug, 'tickets', 3),
    truth: async (store, slug) => (await readMarkers(store, slug)).get('tickets'),
    becomes: holding({ position: 0, generation: 1 }),
    seen: 'would resend 3 tickets, about 1 page',
    hears: {
      signal: 'markerReset',
      args: [
        { entity_types: ['tickets'], timestamp: '2026-01-01T00:00:00.000Z', request_id: expect.any(String) },
      ],
    },
    recorded: {
      about: 'tickets from 2026-01-01T00:00:00.000Z',
      before: { position: 3 },
      outcome: 'Resends 3 tickets, about 1 page.',
    },
    wrong: [
      ...TIMES.map(([timestamp, says]) => page({ timestamp }, `The time ${says}`)),
      page({ entity_type: 'elevators' }, 'The entity type must be accounts'),
      { door: 'api', given: { entity_type: 'tickets' }, says: 'is required' },
      ...TIMES.slice(1).map(([time, says]): Wrong<'gdx'> => ({
        ...{ door: 'gdx', given: `marker reset @ tickets --timestamp ${time}:00Z`, says, exitCode: 2 },
      })),
    ],
  },
  {
    ...{ deed: tryEndpoint, pages: BOTH },
    page: {},
    recorded: { outcome: 'No worker has posted the page: try again in a minute.' },
    wrong: [],
  },
  {
    ...{ deed: resend, pages: BOTH },
    api: { entity_type: 'tickets', account: '42-1001' },
    page: { entity_type: 'tickets', account: ' 42-1001 ' },
    gdx: 'resend @ tickets --account 42-1001',
    truth: async (store, slug) => (await listReleased(store, slug)).map(({ record }) => record),
    becomes: ['42-1', '42-2', '42-3'],
    seen: 'would resend 3 tickets, about 1 page',
    hears: { signal: 'settingsChanged', args: [{ reason: 'released' }] },
    recorded: { about: 'tickets of 42-1001', before: {}, outcome: 'Resends 3 tickets.' },
    wrong: [
      page({ account: '' }, 'The account must be an id as the feed shows it'),
      page({ entity_type: 'silos' }, 'The entity type must be accounts, contracts'),
      { door: 'api', given: { entity_type: 'tickets' }, says: 'give either ids or account' },
      { door: 'gdx', given: 'resend @ tickets', says: 'give either ids or account', exitCode: 2 },
    ],
  },
  {
    ...{ deed: setNotifyUrl, pages: ['/customer'] },
    page: { notify_url: ' https://monitor.acme.example/gdx ' },
    truth: async (store, slug) => [
      (await findChannel(store, slug))!.notify_url,
      (await lastNotice(store, slug))?.type,
    ],
    becomes: ['https://monitor.acme.example/gdx', 'notifications.begun'],
    recorded: {
      about: 'notify_url',
      before: { notify_url: '' },
      outcome: 'The first notification comes within some minutes.',
    },
    wrong: URLS.map(([notify_url, says]) => page({ notify_url }, says)),
  },
  {
    ...{ deed: rotateSecret, pages: ['/customer'] },
    page: {},
    gdx: 'channel rotate-secret @',
    prints: {
      table: /^signing_secret +whsec_\S+$/m,
      json: { signing_secret: expect.stringMatching(/^whsec_/), old_until: expect.any(String) },
    },
    truth: async (store, slug) => (await findChannel(store, slug))!.signing_secrets.length,
    becomes: 2,
    recorded: { before: { signing_secrets: 1 }, outcome: 'Done.' },
    wrong: [
      page({}, 'Four secrets sign your pages now', async (store, slug) => {
        for (let time = 0; time < 3; time++) await rotateSigningSecret(store, slug, { atOnce: false });
      }),
    ],
  },
  {
    ...{ deed: farmerLink, pages: ['/customer'] },
    settings: { scope: 'subscribed', callback_origins: ['https://lender.example'] },
    page: { partner_id: 'policy-7', phone: '(701) 555-0142', days: '7' },
    prepare: (store, slug) => newLinkKey(store, slug, 0),
    recorded: { about: '', outcome: 'Done.' },
    wrong: LINKS.map(([given, says]) => page(given, says)),
  },
  {
    ...{ deed: release, pages: BOTH },
    page: { record: ['tickets/42-2', 'tickets/42-10/01'], which: 'ticked' },
    gdx: 'set-aside release @ 42-2 42-10/01 --entity tickets',
    prints: { table: /^released 2 records to Acme Crop Insurance\n$/, json: { released: 2 } },
    prepare: refuseFour,
    truth: async (store, slug) =>
      (await listSetAside(store, slug, { released: true })).map(
        ({ entity_type, record }) => `${entity_type}/${record}`,
      ),
    becomes: ['tickets/42-10/01', 'tickets/42-2'],
    hears: { signal: 'settingsChanged', args: [{ reason: 'released' }] },
    recorded: { about: '2 tickets', outcome: 'Released 2. They are sent now.' },
    wrong: [
      page({ record: [] }, 'Choose the records to send again'),
      { door: 'gdx', given: 'set-aside release @', says: 'name the records, or give --all', exitCode: 2 },
    ],
  },
  {
    ...{ deed: close, pages: ['/ops'] },
    page: {},
    gdx: 'channel close @',
    prints: { table: /^closes the channel for good, with 0 grants of farmers$/m, json: { grants: 0 } },
    truth: channelOf,
    becomes: holding({ state: 'closed', closed: holding({ reason: 'because' }) }),
    seen: 'would close the channel for good, with 0 grants of farmers for 0 accounts; 3 records not confirmed yet',
    hears: { signal: 'settingsChanged', args: [{ reason: 'closed' }] },
    recorded: { before: { state: 'active' }, outcome: 'Nothing more is sent. 0 grants of farmers ended.' },
    wrong: [],
  },
];

/** The routes of the deeds in `/api`, `/ops` and `/customer`, with who may call each. */
export const DEED_CALLERS: Record<string, Caller> = Object.fromEntries(
  DEED_CASES.flatMap(({ deed: { name, api: route, page: form }, api, pages }) => [
    ...(api ? [[`POST ${CHANNEL}${route!.path}`, 'channel']] : []),
    ...pages.flatMap((home) =>
      ['POST', ...(form!.asks || form!.own ? ['GET'] : [])].map((method) =>
        home === '/ops'
          ? [`${method} /ops/channels/:channel_slug/${name}`, 'operator']
          : [`${method} /customer/${name}`, 'customer'],
      ),
    ),
  ]),
) as Record<string, Caller>;
