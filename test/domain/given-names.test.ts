import fc from 'fast-check';
import { ENTITY_TYPES, WRAPPER_KEYS, type EntityType } from '../../domain/records/entity-types';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { validatePush } from '../../domain/records/validate-push';
import { played, scaledTest } from '../setup/cases';

const COMPANY = { id: '42', name: 'Prairie Co-op' };
const FOREIGN = { id: '43-1', remote_id: '1' };
const GIVEN = ['account', 'contract', 'elevator', 'ticket', 'settlement', 'replaces_ticket'];
const NAMES = [...GIVEN, 'company', 'remote_id'];

const GOOD = {
  elevators: { id: 'E', name: 'Casselton' },
  accounts: { id: 'A', name: 'Meyer Farms' },
  contracts: { id: 'C', account_id: 'A' },
  tickets: { id: 'T', splits: [{ account_id: 'A' }] },
  settlements: { id: 'S', account_id: 'A' },
};

const pushOf = (type: string, ...records: unknown[]) =>
  validatePush({ data: [{ [`update-${type}`]: { [type]: records } }] });

function messagesOf(type: string, ...records: unknown[]) {
  const result = pushOf(type, ...records);
  return result.ok ? {} : result.messages;
}

describe.each(Object.entries(GOOD))('%s', (type, good) => {
  const at = `data[0].update-${type}.${type}[0]`;

  test.each(NAMES)('no member takes the name %s, whatever it holds and however deep', (name) => {
    // The specification's account has two of them: domain/normalize-record.
    const values = [FOREIGN, [FOREIGN], 7, true, ...(type === 'accounts' ? [] : ['43-1', null])];
    for (const value of values) {
      expect(Object.keys(messagesOf(type, { ...good, [name]: value }))).toEqual([`${at}.${name}`]);
    }
    const deep = { ...good, a: [[1, { b: { [name]: FOREIGN } }]], c: { [name]: null } };
    expect(Object.keys(messagesOf(type, deep))).toEqual([`${at}.a[0][1].b.${name}`, `${at}.c.${name}`]);
  });

  test('a long name on the way is cut short', () => {
    const deep = { ...good, ['x'.repeat(65)]: { company: 1 }, ['y'.repeat(64)]: { company: 1 } };
    expect(Object.keys(messagesOf(type, deep))).toEqual(
      ['x', 'y'].map((key) => `${at}.${key.repeat(64)}.company`),
    );
  });

  test('other names are its own, even look-alikes', () => {
    const own = [
      '\u0430ccount',
      'Account',
      'accounts',
      'account_ids',
      ' account',
      'account\u200b',
      'companyId',
    ];
    expect(
      messagesOf(type, { ...good, ...Object.fromEntries(own.map((name) => [name, FOREIGN.id])) }),
    ).toEqual({});
    expect(messagesOf(type, { ...good, lines: [{ id: '43-1' }], x: { id: '43-1' } })).toMatchObject({});
  });
});

test('all at once, with what else is wrong, and not more than a hundred', () => {
  const bad = { id: 'T', account_id: 7, account: FOREIGN, splits: [{ account_id: 'A', contract: FOREIGN }] };
  const at = 'data[0].update-tickets.tickets[0]';
  expect(messagesOf('tickets', bad)).toEqual({
    [`${at}.account_id`]: [expect.any(String)],
    [`${at}.account`]: ['is a name that the feed gives: send the other record’s id as account_id'],
    [`${at}.splits[0].contract`]: [
      'is a name that the feed gives: send the other record’s id as contract_id',
    ],
  });
  const many = { ...GOOD.tickets, lines: Array(500).fill({ company: 'x', remote_id: 'x' }) };
  expect(Object.keys(messagesOf('tickets', many))).toHaveLength(100);
});

/** What the feed shows where it gives references, at any depth: `place: id`. */
function referencesIn(shown: unknown, place = ''): string[] {
  if (typeof shown !== 'object' || shown === null) return [];
  return Object.entries(shown).flatMap(([key, value]) => {
    const within = referencesIn(value, `${place}.${key}`);
    if (!NAMES.includes(key)) return within;
    return [
      `${key}: ${typeof value === 'object' && value !== null ? JSON.stringify(value) : value}`,
      ...within,
    ];
  });
}

const key = fc.oneof(
  fc.constantFrom(...NAMES, ...GIVEN.map((name) => `${name}_id`), ...GIVEN.map((name) => `${name}s`)),
  fc.constantFrom(
    'id',
    'splits',
    'payees',
    'lines',
    'applications',
    'name',
    '\u0430ccount',
    'Account',
    '0',
    'constructor',
  ),
  fc.string({ maxLength: 6 }),
);
const { member } = fc.letrec((tie) => ({
  member: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>('43-1', '1', null, 7, FOREIGN),
    fc.dictionary(key, tie('member'), { maxKeys: 4 }),
    fc.array(tie('member'), { maxLength: 3 }),
  ),
}));

scaledTest(
  'whatever members an ERP sends, a reference in the feed leads to its own company, or the push is refused',
  () => {
    const ours = new RegExp(
      `^(${GIVEN.join('|')}): (null|\\{"id":"42-([^"]+)","remote_id":"\\3"\\})$|^company: \\{"id":"42","name":"Prairie Co-op"\\}$`,
    );
    let [taken, refused] = [0, 0];
    const extra = fc.dictionary(key, member, { maxKeys: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...ENTITY_TYPES), extra, (type: EntityType, members) => {
        const result = pushOf(type, { ...members, ...GOOD[type] });
        if (!result.ok) return void refused++;
        taken++;
        const rendered = renderRecord(type, result.push.records[type][0]!, COMPANY);
        const shown = JSON.parse(finishWire(rendered, 0, 0).toString())[WRAPPER_KEYS[type]];
        const { remote_id, ...rest } = shown;
        expect([shown.id, remote_id]).toEqual([`42-${GOOD[type].id}`, GOOD[type].id]);
        for (const found of referencesIn(rest))
          if (!found.startsWith('remote_id: ')) expect(found).toMatch(ours);
      }),
      played(300, 20_000),
    );
    expect([taken > 100, refused > 100]).toEqual([true, true]);
  },
);
