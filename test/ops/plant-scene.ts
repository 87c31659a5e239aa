import { raiseAlert } from '../../store/alerts/alerts';
import type { ChannelSettings } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { setAside } from '../../store/deliveries/set-aside';
import { subscriptions } from '../../store/consent/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { addIntegration } from '../../store/callers/integrations';
import { notePushes } from '../../store/push/push-activity';
import { COMPANY, pushRecords } from '../setup/push-records';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Channels as an operator finds them on a bad day: `acme` fails, `prairie` is paused, `river` stale, two are well. */
export async function plantScene(store: Store, now = Date.now()): Promise<void> {
  const ago = (ms: number) => new Date(now - ms);
  await push(store, ago(49 * MINUTE));
  await store.db.collection('tickets').updateMany({}, { $set: { updated_at: ago(49 * MINUTE) } });
  const channels = store.db.collection<{ _id: string }>('channels');
  const add = async (slug: string, name: string, settings: Partial<ChannelSettings>, changes: object) => {
    await addTestChannel(store, slug, `https://${slug}.example/grain`, {
      name,
      authorization: 'Bearer their-secret',
      ...settings,
    });
    await channels.updateOne({ _id: slug }, { $set: { created_at: ago(30 * 24 * HOUR), ...changes } });
  };
  const failing = { since: ago(52 * MINUTE), failure: 'unavailable', failure_since: ago(52 * MINUTE) };
  const page_limits = { tickets: { records: 250, at: ago(2 * HOUR) } };
  const but = [{ company: COMPANY.id, through: ago(52 * MINUTE), passed: {} }];
  const passed = Object.fromEntries(ENTITY_TYPES.map((type) => [type, 0]));
  const complete = { at: ago(MINUTE), passed, but };
  await add('acme', 'Acme Crop Insurance', { page_size: 1000 }, { failing, page_limits, run: 48, complete });
  await add('hail', 'Great Plains Hail', {}, { fresh_at: ago(12 * MINUTE) });
  await add('lender', 'Farm Credit West', { scope: 'subscribed' }, { fresh_at: ago(31 * MINUTE) });
  const paused = { reason: 'Their maintenance until Monday, ticket 4711', at: ago(9 * HOUR) };
  await add('prairie', 'Prairie Mutual', {}, { state: 'paused', paused });
  await add('river', 'Red River Ag Bank', {}, { fresh_at: ago(5 * HOUR) });
  await markers(store, ago);
  await raiseAlert(store, ALERT, ago(50 * MINUTE));
  await deliveries(store, now);
  await share(store, ago);
  await refuse(store);
}

const ALERT = {
  channel: 'acme',
  class: 'unavailable',
  subject: 'tickets',
  message:
    'Acme Crop Insurance answered 503 and confirmed none of the last 14 attempts: the next run tries again from the same place',
} as const;

async function push(store: Store, at: Date): Promise<void> {
  const accounts = ['Meyer Farms', 'Lindgren & Sons', 'O’Brien Land', 'Ruiz Brothers'].map((name, index) => ({
    id: String(1001 + index),
    name,
    phones: [{ phone: `701555014${index}` }],
  }));
  const tickets = Array.from({ length: 120 }, (_, index) => ({ id: `T-${index}`, account_id: '1001' }));
  await pushRecords(store, { accounts, tickets });
  const { integration } = await addIntegration(store, { name: 'agris', company: COMPANY });
  const erp = `agris of ${COMPANY.name}`;
  const pushed = { erp, company: COMPANY, first_at: at, last_at: at, records: 124, warnings: 0 };
  await notePushes(store, integration._id, pushed);
}

// All of them are confirmed fast, most of the time.
const LATENESS = {
  week: Math.floor(Date.now() / (7 * 24 * HOUR)),
  records: 12_304,
  late: 2,
  seconds: 504_464,
};

/** All but the failing one have confirmed everything. */
async function markers(store: Store, ago: (ms: number) => Date): Promise<void> {
  const ends = { accounts: 4, contracts: 0, tickets: 120, settlements: 0 };
  for (const [channel, age] of Object.entries({ acme: 52, hail: 12, lender: 31, prairie: 560, river: 310 })) {
    for (const entity_type of ENTITY_TYPES) {
      const behind = channel === 'acme' && entity_type === 'tickets';
      const sent = ends[entity_type] > 0;
      const at = sent ? ago(age * MINUTE) : null;
      await store.db.collection<{ _id: string }>('markers').insertOne({
        _id: `${channel}/${entity_type}`,
        channel,
        entity_type,
        generation: behind ? 1 : 0,
        epoch: 3,
        timestamp: at,
        delivered_at: at,
        position: behind ? 37 : ends[entity_type],
        ...(sent && { lateness: LATENESS }),
        ...(behind && {
          ...{ high: 37, held_until: ago(MINUTE) },
          last_reset: { timestamp: ago(7 * 24 * HOUR), at: ago(26 * HOUR) },
          found: { to: 120, records: 83, more: false, since: ago(26 * HOUR), at: ago(HOUR) },
        }),
      } as never);
    }
  }
}

async function deliveries(store: Store, now: number): Promise<void> {
  const all = Array.from({ length: 25 }, (_, index) => 24 - index).flatMap((hoursAgo, run) =>
    (['accounts', 'tickets'] as const)
      .filter((type) => type === 'tickets' || hoursAgo % 3 === 0)
      .map((type) => delivery(type, run + 24, now - hoursAgo * HOUR - 12 * MINUTE, hoursAgo)),
  );
  await store.db.collection<DeliveryDocument>('deliveries').insertMany(all);
}

function delivery(type: EntityType, run: number, started: number, hoursAgo: number): DeliveryDocument {
  const failed = type === 'tickets' && [9, 1].includes(hoursAgo);
  const running = type === 'tickets' && hoursAgo === 0;
  const moved = type === 'tickets' && hoursAgo === 14;
  const attempt = (seconds: number) => ({
    at: new Date(started + seconds * 1_000),
    failure: 'unavailable',
    status: 503,
    reason: 'answered 503',
    answer: '{"error":"maintenance","for":"Meyer 701-555-0142"}',
    request_id: '0194c0de-bbbb',
  });
  return {
    _id: `delivery/acme/${type}/${run}`,
    channel: 'acme',
    entity_type: type,
    catch_up: false,
    run,
    trigger: hoursAgo === 9 ? 'deliver-now' : 'schedule',
    from: 0,
    to: 40,
    bytes: 40_000,
    status: failed ? 'failed' : running ? 'running' : moved ? 'superseded' : 'delivered',
    failure: failed ? 'unavailable' : null,
    failure_message: failed
      ? 'Acme Crop Insurance answered 503 and confirmed none of the last 14 attempts'
      : null,
    pages: failed ? 0 : 2,
    records: failed ? 0 : 40 * run,
    set_aside: 0,
    failed_attempts: failed || running ? [attempt(1), attempt(4)] : [],
    workflow_run_id: '0194c0de-aaaa',
    started_at: new Date(started),
    ended_at: running ? null : new Date(started + (failed ? 46 * MINUTE : 20_000)),
    expires_at: new Date(started + 1e9),
  };
}

async function share(store: Store, ago: (ms: number) => Date): Promise<void> {
  await subscriptions(store).insertMany(
    ['1001', '1002', '1004'].map((id, index) => ({
      _id: `share-${id}`,
      channel: 'lender',
      partner_id: `LOAN-88${index}`,
      farmer: 'kept-hash',
      phone_ending: '42',
      account: `42-${id}`,
      state: 'granted',
      to_begin: [],
      version: 1,
      since: ago((index + 1) * 20 * HOUR),
      ended_at: null,
    })),
  );
}

async function refuse(store: Store): Promise<void> {
  const refusals: [EntityType, string, string][] = [
    ['accounts', '42-1003', '{"message":"name: must not contain ’"}'],
    ['tickets', '42-T-17', '{"message":"unknown crop","account":"Meyer Farms","phone":"7015550140"}'],
  ];
  for (const [entity_type, record, answer] of refusals) {
    await setAside(store, {
      channel: 'acme',
      entity_type,
      record,
      position: 3,
      failure: 'refused',
      status: 422,
      answer,
      delivery: `delivery/acme/${entity_type}/40`,
    });
  }
}
