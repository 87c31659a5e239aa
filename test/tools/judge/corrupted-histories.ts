import {
  fed,
  fedHalf,
  fedSplit,
  honestHistory,
  instant,
  page,
  push,
  saying,
  signed,
  wording,
  type Event,
  type Fed,
} from './honest-history';

type History = Record<string, Event | undefined>;
interface Corrupted {
  readonly promise: string;
  readonly title: string;
  /** What stands in place of the honest event; undefined: nothing. */
  readonly instead: History;
}

/** The page with other records, signed as it is then. */
const edited = (name: string, edit: (records: Fed[]) => Fed[]): Event => {
  const event = honestHistory[name] as Event;
  return signed({ ...event, body: JSON.stringify({ data: edit(recordsOf(name)), meta: {} }) });
};
const recordsOf = (name: string) => (JSON.parse(String(honestHistory[name]?.body)) as { data: Fed[] }).data;
const isOf = (id: string) => (record: Fed) => Object.values(record)[0]?.id === `42-${id}`;
const shown = (name: string, id: string, as: object): History => ({
  [name]: edited(name, (records) =>
    records.map((record) => (isOf(id)(record) ? { ticket: { ...record.ticket, ...as } } : record)),
  ),
});
const lacks = (names: readonly string[], id: string): History =>
  Object.fromEntries(
    names.map((name) => [name, edited(name, (records) => records.filter((r) => !isOf(id)(r)))]),
  );
const without = (name: string, header: string): Event => {
  const event = honestHistory[name] as Event;
  return { ...event, headers: { ...(event.headers as object), [header]: '' } };
};
const firstTickets = recordsOf('tickets');
const secondTickets = [
  ...firstTickets.slice(2, 3),
  { ticket: { ...firstTickets[0]?.ticket, updated_at: instant(4.55) } },
  ...firstTickets.slice(3),
];
const stillShared = { revoke: undefined, afterRevokeToSafe: page(41, 'safe', [fedHalf(40, 33)]) };
const ALL = ['tickets', 'ticketsAgain', 'afterReset'];

/** The honest history with one promise broken in each. */
export const corruptedHistories: readonly Corrupted[] = [
  { promise: 'C1', title: 'an acknowledged change never comes', instead: { afterRevokeToAcme: undefined } },
  {
    promise: 'C1',
    title: 'a later change comes before an earlier one',
    instead: Object.fromEntries(
      ['tickets', 'ticketsAgain'].map((name) => [name, edited(name, (records) => [...records].reverse())]),
    ),
  },
  {
    promise: 'C1',
    title: 'a content comes that nobody pushed',
    instead: shown('afterRevokeToAcme', 'T-3', { net_weight: 34 }),
  },
  {
    promise: 'C4',
    title: 'updated_at is not when the change was stored',
    instead: shown('afterRevokeToAcme', 'T-3', { updated_at: instant(45) }),
  },
  {
    promise: 'C4',
    title: 'updated_at has no milliseconds',
    instead: shown('afterRevokeToAcme', 'T-3', { updated_at: '2026-10-01T12:00:40Z' }),
  },
  {
    promise: 'C4',
    title: 'two contents have one updated_at',
    instead: {
      besides: push(40, 'besides', { tickets: [{ id: 'T-5', account_id: '1002', net_weight: 50 }] }),
      besidesToo: push(40, 'besides too', { tickets: [{ id: 'T-5', account_id: '1002', net_weight: 51 }] }),
      one: page(41, 'acme', [fed('ticket', 40, { id: 'T-5', account_id: '1002', net_weight: 50 })]),
      other: page(42, 'acme', [fed('ticket', 40, { id: 'T-5', account_id: '1002', net_weight: 51 })]),
    },
  },
  {
    promise: 'C6',
    title: 'a page is changed after it is signed',
    instead: {
      accounts: { ...(honestHistory.accounts as Event), body: `${String(honestHistory.accounts?.body)} ` },
    },
  },
  {
    promise: 'C6',
    title: 'a page names no delivery',
    instead: { accounts: without('accounts', 'x-delivery-id') },
  },
  {
    promise: 'C6',
    title: 'equal bytes come again under another id',
    instead: { ticketsAgain: page(11, 'acme', recordsOf('tickets'), 204, 'other') },
  },
  {
    promise: 'C7',
    title: 'a page that was answered 500 never comes again',
    instead: { afterRevokeToAcme: page(41, 'acme', [fedSplit(40, 33)], 500) },
  },
  {
    promise: 'C7',
    title: 'the marker passes a page that was answered 503',
    instead: {
      tickets: page(10, 'acme', firstTickets.slice(0, 3), 503),
      passing: page(10.5, 'acme', firstTickets.slice(3)),
      ticketsAgain: page(11, 'acme', firstTickets.slice(0, 3)),
    },
  },
  {
    promise: 'C10',
    title: 'a record that was set aside does not come after a reset',
    instead: lacks(['afterReset'], 'T-4'),
  },
  {
    promise: 'C7',
    title: 'a record is passed that was refused alone once',
    instead: { badAgain: undefined, reset: undefined, afterReset: undefined },
  },
  {
    promise: 'C10',
    title: 'a record that was set aside holds back another',
    instead: {
      together: undefined,
      goodAlone: page(13.4, 'acme', firstTickets.slice(0, 1)),
      reset: undefined,
      afterReset: undefined,
    },
  },
  {
    promise: 'C32',
    title: 'a page has a word beside a record that the customer has refused',
    instead: {
      reset: undefined,
      afterReset: undefined,
      afterRevokeToAcme: wording(page(41, 'acme', [fedSplit(40, 33)]), { 42: '2026-09-30' }),
    },
  },
  {
    promise: 'C32',
    title: 'a page has a word before the last record below it is confirmed',
    instead: {
      ticketsAgain: wording(page(11, 'acme', firstTickets.slice(0, 2)), { 42: '2026-09-28' }),
      theRest: page(11.5, 'acme', firstTickets.slice(2)),
    },
  },
  {
    promise: 'C32',
    title: 'a page has a word while what was asked for again is on its way',
    instead: {
      afterReset: wording(page(16, 'acme', firstTickets.slice(0, 2), 200, 'reset'), { 42: '2026-09-28' }),
      theRest: page(16.5, 'acme', [...firstTickets.slice(2), ...recordsOf('together')], 200, 'reset'),
    },
  },
  {
    promise: 'C32',
    title: 'a page has a word before a farmer’s earlier records are sent',
    instead: {
      catchUpTickets: wording(page(22, 'safe', [fedHalf(1, 3)], 200, 'catch-up'), { 42: '2026-09-28' }),
      theRest: page(22.5, 'safe', recordsOf('catchUpTickets').slice(1), 200, 'catch-up'),
    },
  },
  {
    promise: 'C32',
    title: 'a page has a word that nobody said',
    instead: { afterRevokeToAcme: wording(page(41, 'acme', [fedSplit(40, 33)]), { 42: '2026-09-27' }) },
  },
  {
    promise: 'C32',
    title: 'a page names a company that the channel does not carry',
    instead: {
      ofAnother: { ...saying(push(31, 'r31', { tickets: [] }), 'tickets', '2026-09-29'), company: '7' },
      correctedToSafe: wording(honestHistory.correctedToSafe as Event, { 7: '2026-09-29' }),
    },
  },
  {
    promise: 'C18',
    title: 'an account is named that is not shared',
    instead: shown('catchUpTickets', 'T-3', {
      splits: [{ account: { id: '42-1001' } }, { account: { id: '42-1002' } }],
    }),
  },
  {
    promise: 'C18',
    title: 'a field is shown that no schema knows',
    instead: shown('catchUpTickets', 'T-3', { bin_colour: 'red' }),
  },
  {
    promise: 'C18',
    title: 'nobody is told of a record that was corrected away',
    instead: { correctedToSafe: undefined, ...stillShared },
  },
  {
    promise: 'E2',
    title: 'a record of a push that was refused comes',
    instead: Object.assign(
      {},
      ...[...ALL, 'catchUpTickets'].map((name) => shown(name, 'T-1', { net_weight: 666 })),
    ),
  },
  { promise: 'E2', title: 'of a push that was stored one record never comes', instead: lacks(ALL, 'T-7') },
  {
    promise: 'E7',
    title: 'equal content makes another version',
    instead: {
      early: page(9, 'acme', firstTickets.slice(0, 2)),
      tickets: page(10, 'acme', secondTickets, 503),
      ticketsAgain: page(11, 'acme', secondTickets),
      afterReset: undefined,
      reset: undefined,
      badAlone: undefined,
      together: undefined,
      goodAlone: page(13, 'acme', recordsOf('together')),
    },
  },
  {
    promise: 'E8',
    title: 'a repeated push is stored again',
    instead: shown('afterReset', 'T-1', { net_weight: 101, updated_at: instant(5.05) }),
  },
  {
    promise: 'E8',
    title: 'another body under a known request id is stored',
    instead: { good: { ...(honestHistory.good as Event), headers: { 'x-request-id': 'r12' } } },
  },
  {
    promise: 'E8',
    title: 'a repeated push is refused',
    instead: {
      repeated: { ...(honestHistory.repeated as Event), status: 422, answer: '{"code":"REQUEST_ID_REUSED"}' },
    },
  },
  {
    promise: 'F7',
    title: 'an account comes before the farmer confirms',
    instead: { early: page(19, 'safe', recordsOf('catchUpAccount'), 200, 'catch-up') },
  },
  {
    promise: 'F9',
    title: 'what an account had never comes',
    instead: { catchUpAccount: undefined, ...stillShared },
  },
  {
    promise: 'F10',
    title: 'a record comes after the revoke of its account',
    instead: { afterRevokeToSafe: page(41, 'safe', [fedHalf(40, 33)]) },
  },
  {
    promise: 'F21',
    title: 'a record comes after the end of the grant',
    instead: { grant: { ...(honestHistory.grant as Event), ends_at: instant(28) } },
  },
];
