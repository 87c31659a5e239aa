import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { WRAPPER_KEYS, ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { finishWire, keepPhones, renderRecord } from '../../domain/records/render-record';
import type { PushedRecord } from '../../domain/records/validate-push';
import { played, scaledTest } from '../setup/cases';

const company = { id: '42', name: 'Prairie Co-op' };
const CREATED = Date.parse('2026-01-05T08:00:00Z');
const UPDATED = Date.parse('2026-10-03T14:26:00.123Z');

function wireOf(type: EntityType, record: PushedRecord): string {
  const rendered = renderRecord(type, record, company);
  return finishWire(rendered, rendered.created_at ?? CREATED, UPDATED).toString();
}

const shown = (type: EntityType, record: PushedRecord) =>
  JSON.parse(wireOf(type, record))[WRAPPER_KEYS[type]];
const hashOf = (record: PushedRecord, by = company) =>
  renderRecord('tickets', record, by).hash.toString('hex');

test("the specification's account, byte for byte", () => {
  const account = {
    name: 'Meyer Farms',
    phones: [{ phone: '7015550142' }],
    created_at: '2025-03-01T06:00:00-06:00',
    id: '1001',
    deleted_at: null,
  };
  expect(wireOf('accounts', account)).toBe(
    '{"account":{"id":"42-1001","remote_id":"1001","name":"Meyer Farms",' +
      '"company":{"id":"42","name":"Prairie Co-op"},"phones":[{"phone":"7015550142"}],' +
      '"created_at":"2025-03-01T12:00:00.000Z","updated_at":"2026-10-03T14:26:00.123Z","deleted_at":null}}',
  );
});

test('an account always carries phones, a list', () => {
  for (const phones of [undefined, null, []]) {
    expect(shown('accounts', { id: '1', name: 'M', phones } as PushedRecord)).toMatchObject({ phones: [] });
  }
  expect(shown('tickets', { id: '1', account_id: '2' })).not.toHaveProperty('phones');
});

describe('an account pushed without phones', () => {
  const own = { id: '1', name: 'M', phone_hint: '"phones":[],', zip: [{ phones: [] }] } as PushedRecord;
  const render = (record: object) => renderRecord('accounts', record as PushedRecord, company);
  const wire = (record: object) => finishWire(render(record), CREATED, UPDATED);

  test.each([
    ['those it has', [{ phone: '17015550142', 2: 'b', 1: 'a', account_id: 'x', kept: { account_id: 7 } }]],
    ['two of them', [{ phone: '7015550142' }, { phone: '5550143', label: 'ü "home"' }]],
  ])('is rendered as if it had been pushed with %s', (_, phones) => {
    const has = wire({ ...own, name: 'Another', phones });
    expect(keepPhones(render(own), has)).toMatchObject(render({ ...own, phones }));
  });

  test('has none when there was none', () => {
    const before = Buffer.from('{"account":{"id":"42-1","name":"M"}}'); // of an earlier render version
    expect(keepPhones(render(own), before)).toEqual(render(own));
    expect(keepPhones(render(own), undefined)).toEqual(render(own));
    expect(keepPhones(render(own), wire({ ...own, phones: [] }))).toEqual(render(own));
  });

  test.each([null, [], [{ phone: '1' }]])('is not one that says %j', (phones) => {
    const said = render({ ...own, phones });
    expect(keepPhones(said, wire({ ...own, phones: [{ phone: '7015550142' }] }))).toBe(said);
  });
});

test('the fields for the store beside the bytes', () => {
  const phones = [{ phone: '17015550142' }, { phone: '7015550142' }, { phone: '5550143' }];
  const account = {
    id: '1001',
    name: 'M',
    phones,
    created_at: '2025-03-01T12:00:00Z',
    deleted_at: '2026-01-01T00:00:00Z',
  };
  expect(renderRecord('accounts', account, company)).toMatchObject({
    id: '42-1001',
    account_ids: ['42-1001'],
    phones: ['7015550142'], // the shorter one is nobody's
    created_at: Date.parse('2025-03-01T12:00:00Z'),
    deleted_at: Date.parse('2026-01-01T00:00:00Z'),
  });
  const ticket = {
    id: 'T',
    account_id: '1',
    splits: [{ account_id: '2' }, { account_id: '1' }, { account_id: null }, {}],
  };
  const rendered = renderRecord('tickets', ticket, company);
  expect(rendered.account_ids).toEqual(['42-1', '42-2']);
  expect(rendered.hash).toHaveLength(16);
  expect(rendered).not.toHaveProperty('phones');
  expect(rendered).not.toHaveProperty('created_at');
  const payees = [{ account_id: '9' }];
  expect(renderRecord('settlements', { id: 'S', account_id: '1', payees }, company).account_ids).toEqual([
    '42-1',
    '42-9',
  ]);
  expect(renderRecord('tickets', { id: 'T', splits: [{}] }, company).account_ids).toEqual([]);
});

test('numbers are the same doubles, minus zero among them', () => {
  const numbers = [-0, 0, 0.1, 1e20, -1e-7, 2 ** 53 - 1];
  const found = shown('tickets', { id: 'N', numbers }).numbers as number[];
  expect(found.every((number, index) => Object.is(number, numbers[index]))).toBe(true);
});

test('references, at any depth, and only the known ones', () => {
  const ticket = {
    id: 'T2',
    account_id: '1001',
    contract_id: null,
    elevator_id: 'E1',
    replaces_ticket_id: 'T1',
    field_id: 'F1',
    scale_id: 'S1',
    splits: [{ id: '1', account_id: '7' }],
    applications: [{ contract_id: 'C1', settlement_id: 'S9' }],
    extra: { deep: [[{ ticket_id: 'T0' }]], account_id: 5, contract_id: ['C1'] },
  };
  expect(shown('tickets', ticket)).toMatchObject({
    account: { id: '42-1001', remote_id: '1001' },
    contract: null,
    elevator: { id: '42-E1', remote_id: 'E1' },
    replaces_ticket: { id: '42-T1', remote_id: 'T1' },
    field_id: 'F1',
    scale_id: 'S1',
    splits: [{ id: '1', account: { id: '42-7', remote_id: '7' } }],
    applications: [
      { contract: { id: '42-C1', remote_id: 'C1' }, settlement: { id: '42-S9', remote_id: 'S9' } },
    ],
    extra: { deep: [[{ ticket: { id: '42-T0', remote_id: 'T0' } }]], account_id: 5, contract_id: ['C1'] },
  });
  expect(wireOf('tickets', ticket)).not.toMatch(/"(elevator|replaces_ticket|settlement)_id"/);
});

test('a reference wins over a property of the name it is shown under; without one that property stays', () => {
  expect(shown('tickets', { id: 'T', account_id: '1', account: 'x' }).account).toEqual({
    id: '42-1',
    remote_id: '1',
  });
  expect(shown('tickets', { id: 'T', account_id: null, account: 'x' }).account).toBeNull();
  expect(shown('tickets', { id: 'T', account_id: 7, account: 'x' })).toMatchObject({
    account_id: 7,
    account: 'x',
  });
});

test("the ERP's own id fields and times give way", () => {
  const wire = wireOf('tickets', {
    id: 'T',
    remote_id: 'hers',
    company: { id: '43' },
    updated_at: '2026-10-03T09:00:00.5-05:00',
    source_updated_at: 'hers',
    created_at: null,
  });
  expect(wire).toBe(
    '{"ticket":{"id":"42-T","remote_id":"T","company":{"id":"42","name":"Prairie Co-op"},' +
      '"source_updated_at":"2026-10-03T14:00:00.500Z","created_at":"2026-01-05T08:00:00.000Z",' +
      '"updated_at":"2026-10-03T14:26:00.123Z","deleted_at":null}}',
  );
  expect(shown('tickets', { id: 'T', updated_at: null })).not.toHaveProperty('source_updated_at');
});

test('values pass on unchanged', () => {
  const ticket = {
    id: 'T',
    a: '42143.10',
    b: 4.1,
    c: -0.5,
    d: 1e-7,
    e: '',
    f: true,
    g: [],
    h: {},
    i: 'ü\u2028"\\\n🌽',
    j: [null],
  };
  expect(shown('tickets', ticket)).toMatchObject({ ...ticket, id: '42-T' });
});

test('integer-like and prototype keys are keys like any other', () => {
  const record = JSON.parse(
    '{"id":"T","2":1,"10":{"b":1,"1":2},"constructor":1,"toString":2,"$where":"x","a.b":3}',
  );
  const reversed = Object.fromEntries(Object.entries(record).reverse()) as PushedRecord;
  expect(shown('tickets', record)).toMatchObject({
    '2': 1,
    '10': { b: 1, '1': 2 },
    constructor: 1,
    toString: 2,
    $where: 'x',
  });
  expect(wireOf('tickets', record).startsWith('{"ticket":{"id":"42-T","remote_id":"T","company"')).toBe(true);
  expect(wireOf('tickets', reversed)).toBe(wireOf('tickets', record));
});

test('the hash is as stored records have it: an upgrade takes no record for a changed one', () => {
  const { head, hash } = renderRecord('tickets', { id: 'T1', account_id: '1001' }, company);
  const whole = createHash('sha256').update(`${head.toString()}null`).digest();
  expect(hash).toEqual(whole.subarray(0, 16));
});

test('the hash moves with everything shown but created_at', () => {
  const ticket = { id: 'T', account_id: '1', net_units: '941.43', created_at: '2026-01-01T00:00:00Z' };
  const same = hashOf(ticket);
  expect(hashOf({ ...ticket, created_at: '2026-01-02T00:00:00Z' })).toBe(same);
  expect(hashOf({ ...ticket, deleted_at: null })).toBe(same);
  const others = [
    hashOf({ ...ticket, net_units: '941.430' }),
    hashOf({ ...ticket, net_units: 941.43 }),
    hashOf({ ...ticket, updated_at: '2026-01-01T00:00:00Z' }),
    hashOf({ ...ticket, updated_at: '2026-01-01T00:00:01Z' }),
    hashOf({ ...ticket, deleted_at: '2026-01-01T00:00:00Z' }),
    hashOf({ ...ticket, deleted_at: '2026-01-02T00:00:00Z' }),
    hashOf({ ...ticket, grade: null }),
    hashOf({ ...ticket, account_id: null }),
    hashOf(ticket, { ...company, name: 'Prairie Cooperative' }),
  ];
  expect(new Set([same, ...others]).size).toBe(others.length + 1);
});

// The rules of docs/contract.md C3, written for clarity instead of speed.
const REFERENCES: Record<string, string> = {
  account_id: 'account',
  contract_id: 'contract',
  elevator_id: 'elevator',
  ticket_id: 'ticket',
  settlement_id: 'settlement',
  replaces_ticket_id: 'replaces_ticket',
};

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const isReference = ([key, item]: [string, unknown]) =>
    Object.hasOwn(REFERENCES, key) && (item === null || typeof item === 'string');
  return Object.fromEntries([
    ...entries.filter((entry) => !isReference(entry)).map(([key, item]) => [key, resolved(item)]),
    ...entries
      .filter(isReference)
      .map(([key, item]) => [REFERENCES[key], item === null ? null : { id: `42-${item}`, remote_id: item }]),
  ]);
}

function modelled(type: EntityType, record: PushedRecord): unknown {
  const { created_at, updated_at, deleted_at, ...rest } = record as Record<string, string>;
  const utc = (text: string) => new Date(text).toISOString();
  return {
    [WRAPPER_KEYS[type]]: {
      ...(resolved(type === 'accounts' ? { ...rest, phones: rest['phones'] ?? [] } : rest) as object),
      id: `42-${record.id}`,
      remote_id: record.id,
      company,
      ...(updated_at && { source_updated_at: utc(updated_at) }),
      created_at: created_at ? utc(created_at) : new Date(CREATED).toISOString(),
      updated_at: new Date(UPDATED).toISOString(),
      deleted_at: deleted_at ? utc(deleted_at) : null,
    },
  };
}

const key = fc
  .oneof(
    fc.constantFrom(
      ...Object.keys(REFERENCES),
      ...Object.values(REFERENCES),
      'splits',
      'payees',
      'phones',
      'name',
      'company',
    ),
    fc.constantFrom(
      'constructor',
      'toString',
      'hasOwnProperty',
      '$where',
      '0',
      '17',
      'source_updated_at',
      'remote_id',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  .filter((text) => !['__proto__', 'id', 'created_at', 'updated_at', 'deleted_at'].includes(text));

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, '', '1001', 0, 4.1, 1e21, 5e-324),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

const instant = fc.oneof(
  fc.constant(null),
  fc.constantFrom('2026-10-03T09:00:00-05:00', '2016-02-29T23:59:59.9+14:00', '2026-01-01T00:00:00Z'),
);
const anyRecord = fc
  .tuple(
    fc.dictionary(key, anyValue, { noNullPrototype: true }),
    fc.record(
      {
        id: fc.constantFrom('1', 'ü-"1"', '-'),
        created_at: instant,
        updated_at: instant,
        deleted_at: instant,
      },
      { requiredKeys: ['id'], noNullPrototype: true },
    ),
  )
  .map(([fields, own]) => ({ ...fields, ...own }) as PushedRecord);

function shuffled(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, by));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, shuffled(item, by)] as const);
  return Object.fromEntries([...entries.slice(by % (entries.length + 1)), ...entries].reverse());
}

scaledTest('a wire parses to what a slow model of the rules says', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ENTITY_TYPES), anyRecord, (type, record) => {
      expect(JSON.parse(wireOf(type, record))).toEqual(modelled(type, record));
    }),
    played(250, 2_000),
  );
});

scaledTest('the order of keys changes neither hash nor bytes', () => {
  fc.assert(
    fc.property(anyRecord, fc.nat(), (record, by) => {
      const other = renderRecord('tickets', shuffled(record, by) as PushedRecord, company);
      const one = renderRecord('tickets', record, company);
      expect(other.head.toString()).toBe(one.head.toString());
      expect(other.hash.equals(one.hash)).toBe(true);
    }),
    played(100, 1_000),
  );
});
