import fc from 'fast-check';
import { productionRecord } from '../../domain/records/production-record';
import { Random } from '../../tools/sample/random';
import { played, scaledTest } from '../setup/cases';

type Fields = Record<string, unknown>;
const ref = (id: string) => ({ id, remote_id: id });
const [MINE, THEIRS] = ['42-1', '42-2'];

/** Hundredths, exactly. */
const exact = (figure: unknown): bigint => {
  const [whole = '', part = ''] = String(figure ?? 0).split('.');
  if (part.length > 2) throw new Error(`${whole}.${part} is not in hundredths`);
  return BigInt(whole + part.padEnd(2, '0'));
};
const text = (hundredths: number) =>
  `${hundredths < 0 ? '-' : ''}${Math.trunc(Math.abs(hundredths) / 100)}.${String(Math.abs(hundredths) % 100).padStart(2, '0')}`;
const addUp = (figures: unknown[]) => figures.reduce<bigint>((sum, figure) => sum + exact(figure), 0n);

const PLACES: [name: string, place: Fields][] = [
  [
    '4412/1187/3A',
    { fsa_farm_number: 4412, fsa_tract_number: '1187', fsa_field_number: '3A', county: 'Cass' },
  ],
  [
    '4412/1187/3B',
    { fsa_farm_number: '4412', fsa_tract_number: 1187, fsa_field_number: '3B', county: 'Cass' },
  ],
  [
    '4412/1187/3A in Barnes',
    { fsa_farm_number: 4412, fsa_tract_number: 1187, fsa_field_number: '3A', county: 'Barnes' },
  ],
  ['Home/North', { farm_name: 'Home', field_name: 'North' }],
  ['Hill/North', { farm_name: 'Hill', field_name: 'North' }],
  ['', { fsa_farm_number: 4412, fsa_tract_number: 1187 }],
  ['', {}],
];

interface Grown {
  id: string;
  place: string;
  /** In hundredths. */
  mine: number;
  percent: string;
  isSettled: boolean;
}

/** A harvest of two years as an ERP has it after splits, voids, reversals and corrections; and what a farmer knows of it. */
function grow(random: Random) {
  const grown: Grown[] = [];
  const tickets: Fields[] = [];
  const settlements: Fields[] = [];
  const settle = (
    status: string,
    crop: string,
    account: string,
    lines: { ticket: string; units: number }[],
  ) =>
    settlements.push({
      ...{ id: `42-S-${settlements.length}`, status, account: ref(account), commodity: crop, uom: 'bu' },
      ...{ crop_year: 2026, net_units: text(lines.reduce((sum, { units }) => sum + units, 0)) },
      lines: lines.map(({ ticket, units }) => ({
        ticket: ref(ticket),
        net_units: random.chance(0.3) ? Number(text(units)) : text(units),
      })),
    });
  for (let load = random.integer(1, 25); load > 0; load--) {
    const crop = random.pick(['corn', 'soybeans']);
    const [place, fields] = random.pick(PLACES);
    const net = random.integer(1, 120_000);
    const percent = random.pick(['100', '50', '66.67', '33.33', '0']);
    const mine = percent === '0' ? 0 : Math.round((net * Number(percent)) / 100);
    const splits = [
      { account: ref(MINE), split_percent: Number(percent), net_units: text(mine) },
      {
        account: ref(THEIRS),
        split_percent: text(10_000 - Number(percent) * 100),
        net_units: text(net - mine),
      },
    ];
    const owner =
      percent === '100' ? { account: ref(MINE) } : percent === '0' ? { account: ref(THEIRS) } : { splits };
    const weight = { gross_weight: net + 26_080, tare_weight: 26_080, net_weight: net, weight_uom: 'lb' };
    const ticket = (id: string, more: Fields): Fields => ({
      ...{ id, status: 'complete', crop_year: random.pick([2026, '2026']), commodity: crop, units_uom: 'bu' },
      ...{ net_units: text(net), ...owner, ...fields, ...weight, ...more },
    });
    // Wrong ones first, each of which the next corrects; some ERPs void what they correct.
    const ids = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (_, at) => `42-T-${load}-${at}`);
    for (const [at, id] of ids.entries()) {
      const isLast = at === ids.length - 1;
      const replaces = at > 0 && { replaces_ticket: ref(ids[at - 1]!) };
      const wrong = isLast ? {} : { status: random.pick(['void', 'complete']), net_units: text(net + 7) };
      tickets.push(ticket(id, { ...replaces, ...wrong }));
    }
    const last = ids.at(-1)!;
    if (random.chance(0.15)) {
      Object.assign(tickets.at(-1)!, { status: 'void' });
      for (const one of tickets.slice(-ids.length)) one['status'] = 'void';
      continue;
    }
    if (random.chance(0.1)) {
      for (const one of tickets.slice(-ids.length)) one['direction'] = 'outbound';
      continue;
    }
    let isSettled = false;
    for (const [account, units] of [
      [MINE, mine],
      [THEIRS, net - mine],
    ] as const) {
      if (units === 0) continue;
      const part = random.chance(0.3) ? random.integer(1, units) : units;
      const ticketOf = () => (random.chance(0.8) ? last : random.pick(ids));
      const line = (sign = 1) => ({ ticket: ticketOf(), units: sign * part });
      const way = random.pick([
        'open',
        'draft',
        'posted',
        'paid',
        'parts',
        'reversed',
        'again',
        'taken',
        'void',
      ]);
      if (way === 'draft' || way === 'void' || way === 'reversed' || way === 'again')
        settle(way === 'again' ? 'reversed' : way, crop, account, [line()]);
      if (way === 'posted' || way === 'paid' || way === 'again')
        settle(way === 'again' ? 'posted' : way, crop, account, [line()]);
      if (way === 'parts')
        settle('posted', crop, account, [
          { ...line(), units: part - 1 },
          { ...line(), units: 1 },
        ]);
      if (way === 'taken') for (const sign of [1, -1]) settle('posted', crop, account, [line(sign)]);
      if (account === MINE) isSettled = ['posted', 'paid', 'parts', 'again'].includes(way);
    }
    if (mine > 0) grown.push({ id: last, place, mine, percent, isSettled });
  }
  const shuffled = <T>(list: T[]) =>
    list
      .map((one) => ({ one, at: random.fraction() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  return { grown, tickets: shuffled(tickets), settlements: shuffled(settlements) };
}

const placeOf = (group: Fields) => {
  if (!group['assigned']) return '';
  const { fsa_field_number: field, fsa_farm_number: farm, fsa_tract_number: tract, county } = group;
  if (field === null) return `${group['farm_name'] as string}/${group['field_name'] as string}`;
  return `${[farm, tract, field].join('/')}${county === 'Cass' ? '' : ` in ${county as string}`}`;
};

scaledTest(
  'the sums of generated harvests are those of the settlements to the last digit, and each load is in one group',
  () => {
    const met = { loads: 0, settlements: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { grown, tickets, settlements } = grow(new Random(seed));
        const record = productionRecord(MINE, '2026', { tickets, settlements, lacksEarlier: false });
        const posted = settlements.filter(
          ({ status, account }) =>
            ['posted', 'paid'].includes(status as string) && (account as Fields)['id'] === MINE,
        );
        for (const crop of ['corn', 'soybeans']) {
          const settled = (sums: Fields[]) =>
            addUp(sums.filter(({ commodity }) => commodity === crop).map((one) => one['settled_units']));
          const expected = addUp(
            posted.filter(({ commodity }) => commodity === crop).map((one) => one['net_units']),
          );
          expect(settled(record.crops)).toBe(expected);
          expect(settled(record.shares)).toBe(expected);
          expect(settled(record.fields.flatMap(({ sums }) => sums))).toBe(expected);
        }
        const seen = record.fields.flatMap((group) =>
          group.loads.map((load) => ({
            ...{ id: load.id, place: placeOf(group), mine: Number(exact(load['net_units'])) },
            ...{ percent: load['split_percent'], isSettled: load['settlement_state'] === 'settled' },
          })),
        );
        const byId = (a: Grown, b: Grown) => (a.id < b.id ? -1 : 1);
        expect((seen as Grown[]).sort(byId)).toEqual(grown.sort(byId));
        expect(record.not_assigned).toBe(grown.filter(({ place }) => place === '').length);
        const mine = BigInt(grown.reduce((sum, one) => sum + one.mine, 0));
        for (const sums of [record.crops, record.shares, record.fields.flatMap((group) => group.sums)]) {
          expect(addUp(sums.map((one) => one['net_units']))).toBe(mine);
          expect(sums.reduce((sum, one) => sum + Number(one['loads']), 0)).toBe(grown.length);
        }
        met.loads += grown.length;
        met.settlements += posted.length;
      }),
      played(100, 1_000),
    );
    expect(Math.min(met.loads, met.settlements)).toBeGreaterThan(100);
  },
);

const of = (tickets: Fields[], settlements?: Fields[], year: string | null = '2026') =>
  productionRecord(MINE, year, { tickets, settlements, lacksEarlier: false });
const ticket = (id: string, more: Fields = {}): Fields => ({
  ...{
    id,
    account: ref(MINE),
    ticket_number: id.slice(3),
    crop_year: 2026,
    commodity: 'corn',
    weigh_out_at: '2026-10-20T08:56:00-05:00',
  },
  ...{
    net_weight: 52340,
    weight_uom: 'lb',
    net_units: '918.94',
    units_uom: 'bu',
    grade_factors: [{ code: 'MO', result: 16.2 }],
  },
  ...{ fsa_farm_number: 4412, fsa_tract_number: 1187, fsa_field_number: '3A', ...more },
});
const settlement = (id: string, lines: [ticket: string, units: unknown][], more: Fields = {}): Fields => ({
  ...{ id, settlement_number: id.slice(3), account: ref(MINE), status: 'posted', crop_year: 2026, uom: 'bu' },
  lines: lines.map(([one, net_units]) => ({ ticket: ref(one), net_units })),
  ...more,
});
const loadsOf = (record: ReturnType<typeof of>) =>
  record.fields.flatMap(({ loads }) =>
    loads.map((load) => [load.id, load['settlement_state'], load['settled_units']]),
  );
const missingOf = (record: ReturnType<typeof of>) =>
  record.missing.map(({ what, count, where }) => `${what} ${count} ${where.join()}`.trim());

test('what nobody said is null and missing, what is not assigned comes first, and nothing is taken from elsewhere', () => {
  const bare = {
    id: '42-T-2',
    account: ref(MINE),
    crop_year: '2026',
    fsa_farm_number: 4412,
    farm_name: 'Home',
  };
  const record = of([ticket('42-T-1'), ticket('42-T-3', { crop_year: null }), bare], []);
  expect(record).toMatchObject({
    loads: 2,
    not_assigned: 1,
    fields: [{ assigned: false }, { assigned: true }],
  });
  expect(record.fields[0]!.loads[0]).toMatchObject({
    id: '42-T-2',
    fsa_farm_number: 4412,
    net_weight: null,
    settlement_state: 'open',
  });
  expect(missingOf(record)).toEqual([
    ...[
      'field 1 42-T-2',
      'crop_year 1 T-3',
      'commodity 1 42-T-2',
      'weighed_at 1 42-T-2',
      'net_weight 1 42-T-2',
    ],
    ...['weight_uom 1 42-T-2', 'moisture 1 42-T-2', 'net_units 1 42-T-2', 'units_uom 1 42-T-2'],
  ]);
  expect(of([ticket('42-T-3', { crop_year: null })], [], null)).toMatchObject({ loads: 1, crop_year: null });
});

test('a load whose settlements nobody may see is neither settled nor open', () => {
  const record = of([ticket('42-T-1')]);
  expect(loadsOf(record)).toEqual([['42-T-1', null, null]]);
  expect(missingOf(record)).toEqual(['no_settlements 0']);
  expect(
    missingOf(productionRecord(MINE, '2026', { tickets: [], settlements: [], lacksEarlier: true })),
  ).toEqual(['earlier 0']);
});

test('the share is that of the splits, of two of one account their sum; without a percent nobody says it', () => {
  const splits = (...all: (Fields | null)[]) =>
    of([ticket('42-T-1', { account: ref(THEIRS), splits: all })], []);
  const share = (record: ReturnType<typeof of>) =>
    record.shares.map((one) => [one['split_percent'], one['net_units']]);
  const mine = { account: ref(MINE) };
  expect(share(splits({ ...mine, split_percent: 40 }, { ...mine, split_percent: '26.67' }, null))).toEqual([
    ['66.67', '612.657298'],
  ]);
  expect(share(splits({ ...mine, split_percent: 50, net_units: '459.48' }, null))).toEqual([
    ['50', '459.48'],
  ]);
  expect(missingOf(splits({ ...mine }))).toEqual(['split_percent 1 T-1', 'net_units 1 T-1']);
  expect(splits(null, { account: ref(THEIRS), split_percent: 100 }).loads).toBe(0);
});

test('what corrects a ticket holds in its place, and what two correct is told', () => {
  const by = (before: string) => ({ replaces_ticket: ref(before) });
  const chain = [
    ticket('42-T-1'),
    ticket('42-T-2', { ...by('42-T-1'), status: 'void' }),
    ticket('42-T-3', by('42-T-2')),
  ];
  expect(loadsOf(of(chain, [settlement('42-S-1', [['42-T-1', '918.94']])]))).toEqual([
    ['42-T-3', 'settled', '918.94'],
  ]);
  // The correction was void: what it was to correct holds.
  expect(loadsOf(of(chain.slice(0, 2), []))).toEqual([['42-T-1', 'open', null]]);
  const twice = of(
    [ticket('42-T-1'), ticket('42-T-2', by('42-T-1')), ticket('42-T-3', by('42-T-1'))],
    [settlement('42-S-1', [['42-T-1', 5]])],
  );
  expect(loadsOf(twice)).toEqual([
    ['42-T-2', 'open', null],
    ['42-T-3', 'open', null],
  ]);
  expect(missingOf(twice)).toEqual(['settled_load 1 S-1']);
  expect(
    of([ticket('42-T-1', by('42-T-2')), ticket('42-T-2', by('42-T-1')), ticket('42-T-4', by('42-T-4'))], [])
      .loads,
  ).toBe(2);
});

test.each<[string, Fields[], state: unknown[], missing: string[]]>([
  ['a draft', [settlement('42-S-1', [['42-T-1', 918.94]], { status: 'draft' })], ['open', null], []],
  [
    'one without a status',
    [settlement('42-S-1', [['42-T-1', 918.94]], { status: null })],
    ['open', null],
    ['settlement_status 1 S-1'],
  ],
  [
    'one of the landlord',
    [settlement('42-S-1', [['42-T-1', 918.94]], { account: ref(THEIRS) })],
    ['open', null],
    [],
  ],
  [
    'one that was taken back',
    [settlement('42-S-1', [['42-T-1', 5]]), settlement('42-S-2', [['42-T-1', -5]])],
    ['open', '0'],
    [],
  ],
  [
    'one taken back twice',
    [settlement('42-S-1', [['42-T-1', -5]])],
    ['open', '-5'],
    ['settled_otherwise 1 T-1'],
  ],
  [
    'more than there is',
    [
      settlement('42-S-1', [
        ['42-T-1', 918.95],
        ['42-T-1', '0.01'],
      ]),
    ],
    ['settled', '918.96'],
    ['settled_otherwise 1 T-1'],
  ],
  [
    'another unit',
    [settlement('42-S-1', [['42-T-1', 514]], { uom: 'cwt' })],
    ['settled', null],
    ['settled_otherwise 1 T-1'],
  ],
  ['no quantity', [settlement('42-S-1', [['42-T-1', null]])], ['settled', null], ['settled_otherwise 1 T-1']],
  ['another ticket', [settlement('42-S-1', [['42-T-9', 5]])], ['open', null], ['settled_load 1 S-1']],
  ['no line', [settlement('42-S-1', [])], ['open', null], ['settled_load 1 S-1']],
])('settled by %s', (_, settlements, state, missing) => {
  const record = of([ticket('42-T-1')], settlements);
  expect(loadsOf(record)).toEqual([['42-T-1', ...state]]);
  expect(missingOf(record)).toEqual(missing);
});
