import { createHmac } from 'node:crypto';

/** An event of a history, as tools/judge/README.md tells. */
export type Event = Record<string, unknown> & { event: string };
type Record_ = Record<string, unknown>;
export type Fed = Record<string, Record_>;

const BEGAN = Date.UTC(2026, 9, 1, 12);
const SECRET = `whsec_${Buffer.from('a secret of this history').toString('base64')}`;
const WHOLE_HARVEST = { farmer: 'ruth', partner_id: 'P-1', account: '42-1001', channel: 'safe' };

/** Seconds after the history began, as its events have it. */
export const at = (seconds: number): number => BEGAN + seconds * 1000;
export const instant = (seconds: number): string => new Date(at(seconds)).toISOString();

/** A request that takes 0.1 s, and stores what it stores in the middle. */
const lasting = (seconds: number) => ({ begin: at(seconds), end: at(seconds + 0.1) });
const stored = (seconds: number): string => instant(seconds + 0.05);

export function push(seconds: number, id: string, commands: Record_, status: number | null = 204): Event {
  const data = Object.entries(commands).map(([type, records]) => ({
    [`update-${type}`]: { [type]: records },
  }));
  const answer = status === 422 ? '{"code":"VALIDATION_ERROR"}' : '';
  const headers = { 'x-request-id': id };
  return {
    event: 'push',
    company: '42',
    ...lasting(seconds),
    headers,
    body: JSON.stringify({ data }),
    status,
    answer,
  };
}

/** The push, with what its ERP says of a type. */
export function saying(event: Event, type: string, day: string): Event {
  const { data } = JSON.parse(String(event.body)) as { data: Record<string, Record_>[] };
  const said = data.map((command) =>
    Object.fromEntries(
      Object.entries(command).map(([name, payload]) => [
        name,
        name === `update-${type}` ? { ...payload, complete_through: day } : payload,
      ]),
    ),
  );
  return { ...event, body: JSON.stringify({ data: said }) };
}

/** The page with words of ERPs. */
export const wording = (event: Event, words: Record<string, string>): Event =>
  signed({
    ...event,
    body: JSON.stringify({
      ...(JSON.parse(String(event.body)) as Record_),
      erp_complete_through: words,
    }),
  });

/** A page and its answer. Pages of one body have one id, but those of a reset. */
export function page(
  seconds: number,
  channel: string,
  records: Fed[],
  status: number | null = 200,
  of = 'd',
): Event {
  const type = `${Object.keys(records[0] ?? {})[0]}s`;
  return signed({
    event: 'page',
    channel,
    ...lasting(seconds),
    headers: {
      'x-entity-type': type,
      'x-channel-slug': channel,
      'x-delivery-id': `delivery/${channel}/${type}/${of}`,
      'x-request-id': `r-${seconds}`,
      'webhook-id': `msg_${of}_${createHmac('sha256', '').update(JSON.stringify(records)).digest('hex')}`,
      'webhook-timestamp': String(Math.floor(at(seconds) / 1000)),
    },
    body: JSON.stringify({ data: records, meta: {} }),
    status,
  });
}

/** The page with the signatures of its bytes. */
export function signed(event: Event): Event {
  const headers = event.headers as Record<string, string>;
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${String(event.body)}`;
  const v1 = createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
    .update(text)
    .digest('base64');
  const signature = `v1,${v1} v1a,${Buffer.alloc(64).toString('base64')}`;
  return { ...event, headers: { ...headers, 'webhook-signature': signature } };
}

/** A record of company 42 as the feed shows it. */
export function fed(type: string, seconds: number, { id, account_id: account, ...record }: Record_): Fed {
  return {
    [type]: {
      id: `42-${String(id)}`,
      remote_id: id,
      company: { id: '42', name: 'Prairie Co-op' },
      ...(account !== undefined && { account: reference(account) }),
      ...record,
      created_at: stored(1),
      updated_at: stored(seconds),
      deleted_at: null,
    },
  };
}

const reference = (id: unknown) => ({ id: `42-${String(id)}`, remote_id: id });
const ticket = (id: string, account: string, weight: number) => ({
  id,
  account_id: account,
  net_weight: weight,
});
const fedTicket = (seconds: number, ...[id, account, weight]: Parameters<typeof ticket>) =>
  fed('ticket', seconds, ticket(id, account, weight));

const account1001 = { id: '1001', name: 'Meyer Farms', phones: [{ phone: '(701) 555-0142' }] };
const account1002 = { id: '1002', name: 'Olson' };
const split = (weight: number) => ({
  id: 'T-3',
  splits: [{ account_id: '1001' }, { account_id: '1002', split_percent: '50' }],
  bin_colour: 'red',
  weigh_in_at: '2026-10-01T07:00:00-05:00',
  net_weight: weight,
});
/** T-3 as it is shown to those who see both accounts. */
export const fedSplit = (seconds: number, weight: number): Fed =>
  fed('ticket', seconds, {
    ...split(weight),
    splits: [{ account: reference('1001') }, { account: reference('1002'), split_percent: '50' }],
  });
/** T-3 as it is shown to those with whom only 1001 is shared. */
export const fedHalf = (seconds: number, weight: number): Fed => {
  const { bin_colour: _, ...known } = split(weight);
  return fed('ticket', seconds, { ...known, splits: [{ account: reference('1001') }, null] });
};
const meyer = fed('account', 1, { ...account1001, phones: [{ phone: '7015550142' }] });
const firstSix = [
  fedTicket(1, 'T-2', '1002', 2),
  fedSplit(1, 3),
  fedTicket(4, 'T-1', '1001', 102),
  fedTicket(6, 'T-6', '1002', 6),
  fedTicket(6, 'T-7', '1002', 7),
];
const four = fedTicket(12, 'T-4', '1002', 4);
const five = fedTicket(12.5, 'T-5', '1002', 5);

/**
 * What two customers see of one harvest: acme, to whom everything is fed, and safe, to whom a farmer shares 1001 for a quarter of a minute.
 * Each event by a name.
 */
export const honestHistory: Record<string, Event> = {
  acme: { event: 'channel', channel: 'acme', begin: at(0), scope: 'all', companies: null },
  safe: { event: 'channel', channel: 'safe', begin: at(0), scope: 'subscribed', companies: ['42'] },
  acmeSecret: { event: 'secret', channel: 'acme', begin: at(0), secret: SECRET },
  safeSecret: { event: 'secret', channel: 'safe', begin: at(0), secret: SECRET },

  harvest: saying(
    push(1, 'r1', {
      accounts: [account1001, account1002],
      tickets: [ticket('T-1', '1001', 1), ticket('T-2', '1002', 2), split(3)],
    }),
    'accounts',
    '2026-09-27',
  ),
  lostAnswer: push(2, 'r2', { tickets: [ticket('T-1', '1001', 101)] }, null),
  tryAgain: push(2.5, 'r2', { tickets: [ticket('T-1', '1001', 101)] }),
  refused: push(3, 'r3', { tickets: [ticket('T-1', '1001', 666), { id: 'T-9' }] }, 422),
  changed: push(4, 'r4', { tickets: [ticket('T-1', '1001', 102)] }),
  equal: saying(push(4.5, 'r4b', { tickets: [ticket('T-2', '1002', 2)] }), 'tickets', '2026-09-28'),
  repeated: push(5, 'r2', { tickets: [ticket('T-1', '1001', 101)] }),
  unanswered: push(6, 'r6', { tickets: [ticket('T-6', '1002', 6), ticket('T-7', '1002', 7)] }, null),

  accounts: wording(page(10, 'acme', [meyer, fed('account', 1, { ...account1002, phones: [] })]), {
    42: '2026-09-27',
  }),
  tickets: page(10, 'acme', firstSix, 503),
  ticketsAgain: page(11, 'acme', firstSix, 204),

  bad: push(12, 'r12', { tickets: [ticket('T-4', '1002', 4)] }),
  good: push(12.5, 'r12b', { tickets: [ticket('T-5', '1002', 5)] }),
  together: page(13, 'acme', [four, five], 422),
  badAlone: page(13.2, 'acme', [four], 422),
  goodAlone: page(13.4, 'acme', [five]),
  badAgain: page(13.6, 'acme', [four], 422),
  reset: {
    event: 'reset',
    channel: 'acme',
    entity_type: 'tickets',
    ...lasting(15),
    body: JSON.stringify({ timestamp: instant(0) }),
    status: 200,
  },
  afterReset: page(16, 'acme', [...firstSix, four, five], 200, 'reset'),

  grant: { event: 'grant', ...WHOLE_HARVEST, ...lasting(20), status: 303 },
  catchUpAccount: page(22, 'safe', [meyer], 200, 'catch-up'),
  catchUpTickets: page(22, 'safe', [fedHalf(1, 3), fedTicket(4, 'T-1', '1001', 102)], 200, 'catch-up'),

  heavier: push(30, 'r30', { tickets: [ticket('T-1', '1001', 103)] }),
  heavierToAcme: page(31, 'acme', [fedTicket(30, 'T-1', '1001', 103)]),
  heavierToSafe: page(31, 'safe', [fedTicket(30, 'T-1', '1001', 103)]),
  corrected: saying(push(32, 'r32', { tickets: [ticket('T-1', '1002', 103)] }), 'tickets', '2026-09-29'),
  correctedToAcme: page(33, 'acme', [fedTicket(32, 'T-1', '1002', 103)]),
  correctedToSafe: wording(page(33, 'safe', [goneTicket(32)]), { 42: '2026-09-29' }),

  revoke: { event: 'revoke', ...WHOLE_HARVEST, ...lasting(35), status: 303 },
  afterRevoke: saying(push(40, 'r40', { tickets: [split(33)] }), 'tickets', '2026-09-30'),
  afterRevokeToAcme: page(41, 'acme', [fedSplit(40, 33)]),
  end: { event: 'end', begin: at(50) },
};

/** T-1 as it is shown to a channel from whose accounts it was corrected away. */
function goneTicket(seconds: number): Fed {
  const { id, remote_id, company, updated_at } = fed('ticket', seconds, { id: 'T-1' }).ticket as Record_;
  return { ticket: { id, remote_id, company, updated_at, deleted_at: stored(seconds) } };
}
