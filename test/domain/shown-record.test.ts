import fc from 'fast-check';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/entity-types';
import { finishWire, renderRecord } from '../../domain/render-record';
import { shownRecord } from '../../domain/shown-record';
import type { PushedRecord } from '../../domain/validate-push';

const COMPANY = { id: '42', name: 'Prairie "Co-op"' };
const UPDATED = '2026-10-03T14:26:00.123Z';
const idOf = (account: string) => `42-${account}`;

function stored(type: EntityType, record: PushedRecord) {
  const rendered = renderRecord(type, record, COMPANY);
  return { wire: finishWire(rendered, 0, Date.parse(UPDATED)), account_ids: rendered.account_ids };
}

function shown(type: EntityType, record: PushedRecord, ...shared: string[]): Record<string, unknown> {
  const bytes = shownRecord(type, stored(type, record), new Set(shared.map(idOf)));
  return JSON.parse(bytes.toString())[WRAPPER_KEYS[type]];
}

const dale = { id: '42-1001', remote_id: '1001' };
const split = (account_id: string) => ({ account_id, split_percent: 50 });

test('the very same bytes where every account is shared', () => {
  const record = stored('tickets', { id: 'T-1', account_id: '1001', splits: [split('1001'), split('1002')] });
  expect(shownRecord('tickets', record, new Set(['42-1001', '42-1002']))).toBe(record.wire);
  const account = stored('accounts', { id: '1001', name: 'Meyer Farms' });
  expect(shownRecord('accounts', account, new Set(['42-1001']))).toBe(account.wire);
});

test('a split, a payee or any other item of an account that is not shared is null in its place', () => {
  const ticket = { id: 'T-1', splits: [split('1002'), split('1001'), split('1003')] };
  expect(shown('tickets', ticket, '1001')['splits']).toEqual([
    null,
    { account: dale, split_percent: 50 },
    null,
  ]);
  const settlement = {
    id: 'S-1',
    payees: [{ account_id: '1002', amount: 7 }],
    lines: [[{ account_id: '1002' }], { account_id: '1001', held: { account_id: '1002', why: 'lien' } }],
    account_id: '1001',
  };
  expect(shown('settlements', settlement, '1001')).toMatchObject({
    payees: [null],
    lines: [[null], { account: dale, held: { account: null, why: 'lien' } }],
    account: dale,
  });
});

test('any other reference to it is null', () => {
  const ticket = { id: 'T-1', account_id: '1002', splits: [split('1001')] };
  expect(shown('tickets', ticket, '1001')).toMatchObject({ account: null, splits: [{ account: dale }] });
  const account = { id: '1001', name: 'Meyer Farms', landlord: { account_id: '1002', since: 2016 } };
  expect(shown('accounts', account, '1001')).toMatchObject({ landlord: { account: null, since: 2016 } });
});

test('nothing else changes, down to the order and the spelling of what an ERP sent', () => {
  const odd = { '9': 1, '10': 2, n: 1e21, text: '"account":{"id":"42-1002"', 'x"account': { id: '42-1002' } };
  const { wire, account_ids } = stored('tickets', {
    id: 'T-1',
    account_id: '1002',
    splits: [split('1001')],
    ...odd,
  });
  const bytes = shownRecord('tickets', { wire, account_ids }, new Set(['42-1001'])).toString();
  const reference = '"account":{"id":"42-1002","remote_id":"1002"}';
  expect(bytes).toBe(wire.toString().replace(reference, '"account":null'));
});

test('a record of which no account is shared any more is told to be deleted, and nothing else', () => {
  const ticket = { id: 'T-1', account_id: '1002', name: 'not told', note: 'nor this' };
  const told = { id: '42-T-1', remote_id: 'T-1', company: COMPANY, updated_at: UPDATED };
  expect(shown('tickets', ticket, '1001')).toEqual({ ...told, deleted_at: UPDATED });
  const deleted_at = '2026-11-01T00:00:00.000Z';
  expect(shown('tickets', { ...ticket, deleted_at }, '1001')).toEqual({ ...told, deleted_at });
});

const ACCOUNTS = ['1', '2', 'é"\\', '\n'];

const payload = fc.letrec<{ value: unknown; object: object }>((tie) => ({
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
})).object;

/** The rule, on parsed JSON. */
function hidden(value: unknown, shared: ReadonlySet<string>, isItem = false): unknown {
  if (Array.isArray(value)) return value.map((item) => hidden(item, shared, true));
  if (typeof value !== 'object' || value === null) return value;
  const account = (value as { account?: { id: string } | null }).account;
  const isHidden = typeof account === 'object' && account !== null && !shared.has(account.id);
  if (isHidden && isItem) return null;
  const members = Object.entries(value).map(([key, member]) =>
    key === 'account' && isHidden ? [key, null] : [key, hidden(member, shared)],
  );
  return Object.fromEntries(members);
}

test('whatever an ERP sends, no account that is not shared is named, and everything else is equal', () => {
  const cases = fc.record({
    type: fc.constantFrom(...ENTITY_TYPES),
    record: payload,
    of: fc.constantFrom(...ACCOUNTS),
    shared: fc.subarray(ACCOUNTS),
  });
  fc.assert(
    fc.property(cases, ({ type, record, of, shared }) => {
      const pushed = {
        ...record,
        ...(type === 'accounts' ? { id: of, name: 'M' } : { id: 'T', account_id: of }),
      };
      const known = stored(type, pushed as PushedRecord);
      const ids = new Set(shared.map(idOf));
      const bytes = shownRecord(type, known, ids);
      const whole = JSON.parse(known.wire.toString())[WRAPPER_KEYS[type]];
      const told = JSON.parse(bytes.toString())[WRAPPER_KEYS[type]];
      if (!ids.has(idOf(of))) {
        expect(Object.keys(told)).toEqual(['id', 'remote_id', 'company', 'updated_at', 'deleted_at']);
        return;
      }
      expect(told).toEqual(hidden(whole, ids));
      if (JSON.stringify(told) === JSON.stringify(whole)) expect(bytes).toBe(known.wire);
    }),
    { numRuns: 2_000 },
  );
});
