import fc from 'fast-check';
import { played, scaledTest } from '../setup/cases';
import { commandNamed } from '../../domain/records/commands';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { NONE_DECLARED, ShownFields } from '../../domain/records/shown-fields';
import { shownRecord } from '../../domain/records/shown-record';
import type { PushedRecord } from '../../domain/records/validate-push';

const COMPANY = { id: '42', name: 'Prairie "Co-op"' };
const UPDATED = '2026-10-03T14:26:00.123Z';
const idOf = (account: string) => `42-${account}`;

function stored(type: EntityType, record: PushedRecord) {
  const rendered = renderRecord(type, record, COMPANY);
  return { wire: finishWire(rendered, 0, Date.parse(UPDATED)), account_ids: rendered.account_ids };
}

const declaring = (...fields: string[]) => new ShownFields([{ company_id: '42', fields }]);
const toChannel = (accounts: readonly string[], fields = NONE_DECLARED) => ({
  shared: new Set(accounts.map(idOf)),
  fields,
});

function shown(
  type: EntityType,
  record: PushedRecord,
  { shared = ['1001'], fields = NONE_DECLARED } = {},
): Record<string, unknown> {
  const bytes = shownRecord(type, stored(type, record), toChannel(shared, fields));
  return JSON.parse(bytes.toString())[WRAPPER_KEYS[type]];
}

const dale = { id: '42-1001', remote_id: '1001' };
const split = (account_id: string) => ({ account_id, split_percent: 50 });

test('the very same bytes where every account is shared and every field known', () => {
  const record = stored('tickets', { id: 'T-1', account_id: '1001', splits: [split('1001'), split('1002')] });
  expect(shownRecord('tickets', record, toChannel(['1001', '1002']))).toBe(record.wire);
  const account = stored('accounts', { id: '1001', name: 'Meyer Farms', phones: [{ phone: '7015550142' }] });
  expect(shownRecord('accounts', account, toChannel(['1001']))).toBe(account.wire);
});

test('a split, a payee or any other item of an account that is not shared is null in its place', () => {
  const ticket = { id: 'T-1', splits: [split('1002'), split('1001'), split('1003')] };
  expect(shown('tickets', ticket)['splits']).toEqual([null, { account: dale, split_percent: 50 }, null]);
  const settlement = {
    id: 'S-1',
    payees: [{ account_id: '1002', amount: 7 }],
    lines: [{ account_id: '1002' }, { account_id: '1001', held: { account_id: '1002', why: 'lien' } }],
    liens: [[{ account_id: '1002' }]],
    account_id: '1001',
  };
  const fields = declaring('settlements.lines.held', 'settlements.liens');
  expect(shown('settlements', settlement, { fields })).toMatchObject({
    payees: [null],
    lines: [null, { account: dale, held: { account: null, why: 'lien' } }],
    liens: [[null]],
    account: dale,
  });
});

test('any other reference to it is null', () => {
  const ticket = { id: 'T-1', account_id: '1002', splits: [split('1001')] };
  expect(shown('tickets', ticket)).toMatchObject({ account: null, splits: [{ account: dale }] });
  const account = { id: '1001', name: 'Meyer Farms', landlord: { account_id: '1002', since: 2016 } };
  const fields = declaring('accounts.landlord');
  expect(shown('accounts', account, { fields })).toMatchObject({ landlord: { account: null, since: 2016 } });
});

test('a field that no schema knows is left out, whatever it holds, unless the ERP declares it', () => {
  const own = {
    landlord_account_id: '1002',
    accounts: ['1001', '1002'],
    landlord: { name: 'Olson', account_id: '1002' },
    account_ids: 1002,
    name: 'Olson’s ticket',
    our_note: 'rain',
  };
  const known = { id: 'T-1', account_id: '1001', net_weight: 5, elevator_id: 'E', contract_id: 'C' };
  const { contract_id: _, ...listed } = known;
  const all = shown('tickets', { ...known, ...own });
  expect(all).toEqual(shown('tickets', known));
  expect(Object.keys(all)).toEqual(expect.arrayContaining(['account', 'contract', 'elevator', 'net_weight']));
  const fields = declaring('tickets.our_note', 'contracts.landlord');
  expect(shown('tickets', { ...listed, ...own }, { fields })).toEqual({
    ...shown('tickets', listed),
    our_note: 'rain',
  });
});

test('even in the items of a list that a schema knows', () => {
  const line = { amount: 5, ticket_id: 'T-1' };
  const own = { paid_to: 'Olson', share: { account_id: '1002' } };
  const settlement = (lines: object[]) => ({ id: 'S-1', account_id: '1001', lines });
  const told = shown('settlements', settlement([{ ...line, ...own }, { ...own }]));
  expect(told['lines']).toEqual([{ amount: 5, ticket: { id: '42-T-1', remote_id: 'T-1' } }, {}]);
  const fields = declaring(
    'settlements.lines.paid_to',
    'settlements.paid_to',
    'settlements.adjustments.share',
    'settlements.share',
  );
  const declared = shown('settlements', settlement([{ ...own }]), { fields });
  expect(declared['lines']).toEqual([{ paid_to: 'Olson' }]);
});

test('what a known field holds is a text, a figure or a flag: an object or a list in it is null', () => {
  const amendments = ['1002', 7, true, null, { account_id: '1002' }, ['1002']].map((new_value) => ({
    new_value,
  }));
  expect(shown('contracts', { id: 'C-1', account_id: '1001', amendments })['amendments']).toEqual(
    ['1002', 7, true, null, null, null].map((new_value) => ({ new_value })),
  );
});

test('an ERP declares for its own company, and those of one company together', () => {
  const ticket = { id: 'T-1', account_id: '1001', a: 1, b: 2, c: 3 };
  const fields = new ShownFields([
    { company_id: '42', fields: ['tickets.a'] },
    { company_id: '4', fields: ['tickets.b'] },
    { company_id: '42', fields: ['tickets.c'] },
  ]);
  const { a, b, c } = shown('tickets', ticket, { fields });
  expect([a, b, c]).toEqual([1, undefined, 3]);
});

test('nothing else changes, down to the order and the spelling of what an ERP sent', () => {
  const odd = { '9': 1, '10': 2, n: 1e21, text: '"account":{"id":"42-1002"', 'x"account': { id: '42-1002' } };
  const { wire, account_ids } = stored('tickets', {
    id: 'T-1',
    account_id: '1002',
    splits: [split('1001')],
    ...odd,
  });
  const fields = declaring(...Object.keys(odd).map((name) => `tickets.${name}`));
  const bytes = shownRecord('tickets', { wire, account_ids }, toChannel(['1001'], fields)).toString();
  const reference = '"account":{"id":"42-1002","remote_id":"1002"}';
  expect(bytes).toBe(wire.toString().replace(reference, '"account":null'));
});

test('a record of which no account is shared any more is told to be deleted, and nothing else', () => {
  const ticket = { id: 'T-1', account_id: '1002', name: 'not told', note: 'nor this' };
  const fields = declaring('tickets.name', 'tickets.note');
  const told = { id: '42-T-1', remote_id: 'T-1', company: COMPANY, updated_at: UPDATED };
  expect(shown('tickets', ticket, { fields })).toEqual({ ...told, deleted_at: UPDATED });
  const deleted_at = '2026-11-01T00:00:00.000Z';
  expect(shown('tickets', { ...ticket, deleted_at }, { fields })).toEqual({ ...told, deleted_at });
});

const ACCOUNTS = ['1', '2', 'é"\\', '\n'];

const payload = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, -1.5, '"account":{"id":"42-1"', '\\', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'x"account', '10', '9', 'lines'), tie('value'), { maxKeys: 3 }),
      fc.option(fc.constantFrom(...ACCOUNTS), { nil: undefined }),
    )
    .map(([rest, account_id]) => (account_id === undefined ? rest : { ...rest, account_id })),
}));

const LISTS = {
  accounts: 'phones',
  contracts: 'amendments',
  tickets: 'splits',
  settlements: 'lines',
} as const;
const DECLARED = declaring(
  ...ENTITY_TYPES.flatMap((type) => [`${type}.ours`, `${type}.${LISTS[type]}.ours`]),
);

// Names that begin or end as known ones do, and such as need an escape.
const names = fc.constantFrom(
  'ours',
  'theirs',
  'a',
  'net',
  'net_weight_',
  'accoun',
  '"',
  'é\n',
  'phone',
  'id',
);
const own = fc.tuple(payload.object, fc.dictionary(names, payload.value, { maxKeys: 4 }));
const item = own.map(([object, more]) => ({ ...object, ...more }));

/** A record with fields of the ERP's own at any depth. */
const record = fc
  .tuple(item, fc.array(item, { maxLength: 3 }), fc.constantFrom(...ENTITY_TYPES))
  .map(([fields, items, type]) => ({ type, fields: { ...fields, grade: '1', [LISTS[type]]: items } }));

/** Of an object that the ERP declares, on parsed JSON. */
function hidden(value: unknown, shared: ReadonlySet<string>, isItem = false): unknown {
  if (Array.isArray(value)) return value.map((one) => hidden(one, shared, true));
  if (typeof value !== 'object' || value === null) return value;
  const isHidden = namesHidden(value, shared);
  if (isHidden && isItem) return null;
  const members = Object.entries(value).map(([key, member]) =>
    key === 'account' && isHidden ? [key, null] : [key, hidden(member, shared)],
  );
  return Object.fromEntries(members);
}

function namesHidden(value: object, shared: ReadonlySet<string>): boolean {
  const { account } = value as { account?: { id: string } | null };
  return typeof account === 'object' && account !== null && !shared.has(account.id);
}

const GIVEN = { id: {}, remote_id: {}, company: {}, created_at: {}, updated_at: {}, deleted_at: {} };

/** The rule for an object with a schema, on parsed JSON. */
function visible(
  value: object,
  known: Record<string, { items?: unknown }>,
  shared: ReadonlySet<string>,
): unknown {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key === 'account') return [[key, namesHidden(value, shared) ? null : member]];
      if (key === 'ours') return [[key, hidden(member, shared)]];
      if (!(key in known)) return [];
      const items = known[key]?.items as { properties: typeof known } | undefined;
      if (!items) return [[key, typeof member === 'object' && key !== 'company' ? null : member]];
      const list = (member as object[]).map((one) =>
        namesHidden(one, shared) ? null : visible(one, { ...items.properties }, shared),
      );
      return [[key, list]];
    }),
  );
}

scaledTest(
  'whatever an ERP sends, nothing is shown that may name an account that is not shared, and everything else is equal',
  () => {
    const cases = fc.record({ record, of: fc.constantFrom(...ACCOUNTS), shared: fc.subarray(ACCOUNTS) });
    fc.assert(
      fc.property(cases, ({ record: { type, fields }, of, shared }) => {
        const pushed = {
          ...fields,
          ...(type === 'accounts' ? { id: of, name: 'M' } : { id: 'T', account_id: of }),
        };
        const known = stored(type, pushed as PushedRecord);
        const channel = toChannel(shared, DECLARED);
        const bytes = shownRecord(type, known, channel);
        const whole = JSON.parse(known.wire.toString())[WRAPPER_KEYS[type]];
        const told = JSON.parse(bytes.toString())[WRAPPER_KEYS[type]];
        if (!known.account_ids.some((id) => channel.shared.has(id))) {
          expect(Object.keys(told)).toEqual(['id', 'remote_id', 'company', 'updated_at', 'deleted_at']);
          return;
        }
        const { properties } = commandNamed(`update-${type}`)!.schema;
        expect(told).toEqual(visible(whole, { ...properties, ...GIVEN }, channel.shared));
        if (JSON.stringify(told) === JSON.stringify(whole)) expect(bytes).toBe(known.wire);
      }),
      played(100, 2_000),
    );
  },
);
