import { Big } from 'big.js';
import { csvRow } from '../text/inert-cell';
import { addTo } from './add-to';
import { type Figure, isFigure } from './record-warnings';

type Fields = Readonly<Record<string, unknown>>;

// Where a load grew: by the numbers of the FSA, which are those of a county, or else by the names of the ERP.
const BY_NUMBER = ['state', 'county', 'fsa_farm_number', 'fsa_tract_number', 'fsa_field_number'];
export const PLACE = [...BY_NUMBER, 'farm_name', 'field_id', 'field_name'];
const SAID = [
  ...['ticket_number', 'load_number', 'insurance_unit_number', 'commodity'],
  ...['gross_weight', 'tare_weight', 'net_weight', 'weight_uom'],
];
const SHARE = [
  ...['split_percent', 'share_weight', 'net_units', 'units_uom', 'settlement_state', 'settled_units'],
];
/** What is told of a load besides its id, its settlements and what is missing. */
export const LOAD_COLUMNS = [...PLACE, 'weighed_at', ...SAID, 'moisture', ...SHARE];

/** Of a ticket and a settlement, what is read here. */
export const GRAIN_FIELDS = new Set([
  ...[...PLACE, ...SAID, 'id', 'account', 'splits', 'crop_year', 'direction', 'status', 'replaces_ticket'],
  ...['weigh_in_at', 'weigh_out_at', 'grade_factors', 'net_units', 'units_uom'],
  ...['settlement_number', 'remote_id', 'uom', 'lines'],
]);

/** What can be missing, in the order in which it is told. */
export const MISSING = [
  ...['field', 'fsa_farm_number', 'fsa_tract_number', 'fsa_field_number', 'crop_year', 'commodity'],
  ...['weighed_at', 'net_weight', 'weight_uom', 'moisture', 'split_percent', 'net_units', 'units_uom'],
  ...['settled_otherwise', 'settled_load', 'settlement_status', 'no_settlements', 'earlier'],
];

/** One load, by the names of `LOAD_COLUMNS`; null is what nobody said. */
export type Load = Fields & { id: string; settlements: string[]; missing: string[] };

/** What is added up: the weight of whole loads, what the account has of them, and what of that was settled. */
export const SUMMED = ['net_weight', 'share_weight', 'net_units', 'settled_units'];

/** The loads as CSV. @param say names of columns and known values in words */
export function productionTable(records: ProductionRecord[], say = (name: string) => name): string {
  const rows = records.flatMap(({ account, crop_year, fields }) =>
    fields.flatMap(({ loads }) => loads.map((load): Fields => ({ account, crop_year, ...load }))),
  );
  return csvOf(['account', 'crop_year', 'id', ...LOAD_COLUMNS, 'settlements', 'missing'], rows, say);
}

const SUM_COLUMNS = ['commodity', 'weight_uom', 'units_uom', 'loads', 'settled_loads', ...SUMMED];

/** The sums of each field as CSV. */
export function sumsTable({ account, crop_year, fields }: ProductionRecord): string {
  const rows = fields.flatMap(({ sums, loads: _, ...place }) =>
    sums.map((sum): Fields => ({ account, crop_year, ...place, ...sum })),
  );
  return csvOf(['account', 'crop_year', 'assigned', ...PLACE, ...SUM_COLUMNS], rows);
}

function csvOf(columns: string[], rows: Fields[], say = (name: string) => name): string {
  const cellOf = (name: string, value: unknown) => {
    const isSaid = name === 'missing' || name === 'settlement_state';
    return [value ?? '']
      .flat()
      .map((one) => (isSaid ? say(one as string) : String(one)))
      .join('; ');
  };
  return [columns.map(say), ...rows.map((row) => columns.map((name) => cellOf(name, row[name])))]
    .map(csvRow)
    .join('');
}

export type ProductionRecord = ReturnType<typeof productionRecord>;

/** What somebody may see of an account, as pages show it. */
export interface AccountsGrain {
  tickets: Fields[];
  /** Undefined where they may see none. */
  settlements: Fields[] | undefined;
  /** They may see only what is new. */
  lacksEarlier: boolean;
}

/** Whether a ticket is of grain that was brought in, and holds. */
export const isLoad = ({ direction, status }: Fields) =>
  direction !== 'outbound' && direction !== 'redelivered' && status !== 'void';

/** Whether it names its field, in whatever way. */
export const namesField = ({ fsa_field_number, field_id, field_name }: Fields) =>
  (fsa_field_number ?? field_id ?? field_name ?? null) !== null;

export const cropYearOf = ({ crop_year }: Fields) => (crop_year == null ? null : String(crop_year));

const POSTED: unknown[] = ['posted', 'paid'];
const MOST_NAMED = 10;

/** The production record of an account and crop year (docs/contract.md C30). Nothing in it is guessed. */
export function productionRecord(account: string, year: string | null, grain: AccountsGrain) {
  const { tickets, settlements, lacksEarlier } = grain;
  const missing = new Map<string, string[]>(settlements ? [] : [['no_settlements', []]]);
  if (lacksEarlier) missing.set('earlier', []);
  const holding = readCorrections(tickets);
  const own = tickets.filter((one) => holding(one['id']) === one['id'] && shareOf(one, account));
  const ids = new Set(own.map(({ id }) => id));
  const lines = new Map<unknown, Line[]>();
  for (const one of settlements?.filter(({ account: of }) => idOf(of) === account) ?? []) {
    const { status, uom = null } = one;
    const named = itemsOf(one['lines']).map((line) => ({ line, load: holding(idOf(line['ticket'])) }));
    const isLost = named.length === 0 || named.some(({ load }) => !ids.has(load));
    const isHere = cropYearOf(one) === year;
    if (isHere && status == null) addTo(missing, 'settlement_status', numberOf(one));
    if (!POSTED.includes(status)) continue;
    if (isHere && isLost) addTo(missing, 'settled_load', numberOf(one));
    for (const { line, load } of named)
      addTo(lines, load, { units: line['net_units'], uom, of: numberOf(one) });
  }
  for (const one of own) if (cropYearOf(one) === null) addTo(missing, 'crop_year', numberOf(one));
  const loads = own
    .filter((one) => cropYearOf(one) === year)
    .map((one) => loadOf(one, shareOf(one, account)!, settlements && (lines.get(one['id']) ?? [])))
    .sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
  for (const load of loads) for (const what of load.missing) addTo(missing, what, numberOf(load));
  return {
    ...{ account, crop_year: year, loads: loads.length },
    not_assigned: loads.filter((load) => !namesField(load)).length,
    missing: MISSING.flatMap((what) => {
      const where = missing.get(what);
      return where ? [{ what, count: where.length, where: where.slice(0, MOST_NAMED) }] : [];
    }),
    ...{ fields: fieldsOf(loads), crops: sumsOf(loads), shares: sumsOf(loads, 'split_percent') },
  };
}

/**
 * The ticket that holds in place of one: the last that corrects it and is not void. Where two correct one, nobody said which of them
 * does.
 */
function readCorrections(tickets: Fields[]): (id: unknown) => unknown {
  const loads = new Set(tickets.filter(isLoad).map(({ id }) => id));
  const next = new Map<unknown, unknown>();
  for (const { id, replaces_ticket } of tickets) {
    const before = idOf(replaces_ticket);
    if (before === undefined || before === id || (next.has(before) && !loads.has(id))) continue;
    next.set(before, loads.has(next.get(before)) || next.get(before) === NOBODY ? NOBODY : id);
  }
  const held = new Map<unknown, unknown>([[NOBODY, NOBODY]]);
  return (id) => {
    const way = new Set<unknown>();
    for (let at = id; at !== undefined && !held.has(at) && !way.has(at); at = next.get(at)) way.add(at);
    for (const at of [...way].reverse())
      held.set(at, held.get(next.get(at)) ?? (loads.has(at) ? at : undefined));
    return held.get(id);
  };
}
const NOBODY = Symbol('two correct it');

/** What the account has of a load, by its splits where there are any; undefined where it is not the account's. */
function shareOf({ account: whose, splits, net_units, net_weight }: Fields, account: string) {
  const own = itemsOf(splits).filter((one) => idOf(one['account']) === account);
  if (own.length === 0 && idOf(whose) !== account) return undefined;
  const isWhole = !Array.isArray(splits) || splits.length === 0;
  const percent = isWhole ? new Big(100) : sum(own.map((one) => one['split_percent']));
  const units = isWhole ? null : sum(own.map((one) => one['net_units']));
  const partOf = (whole: unknown) => (percent && isFigure(whole) ? percent.times(whole).times('0.01') : null);
  return { percent, weight: partOf(net_weight), units: units ?? partOf(net_units) };
}

interface Line {
  units: unknown;
  uom: unknown;
  of: string;
}

// The ERP may have rounded what an owner has by percent.
const ROUNDING = '0.01';

/** @param lines of posted settlements; undefined where nobody may see them */
function loadOf(ticket: Fields, share: NonNullable<ReturnType<typeof shareOf>>, lines?: Line[]): Load {
  const uom = ticket['units_uom'] ?? lines?.[0]?.uom ?? null;
  const paid = (lines ?? []).filter((line) => line.uom === uom && isFigure(line.units));
  const settled = sum(paid.map(({ units }) => units));
  const isTakenBack = settled?.lte(0) && paid.some(({ units }) => Number(units) < 0);
  const isMore = settled && (settled.lt(0) || (share.units && settled.minus(share.units).gt(ROUNDING)));
  const isSettled = (lines ?? []).length > 0 && !isTakenBack;
  const load: Fields = {
    ...Object.fromEntries([...PLACE, ...SAID].map((name) => [name, ticket[name] ?? null])),
    weighed_at: ticket['weigh_out_at'] ?? ticket['weigh_in_at'] ?? null,
    moisture: itemsOf(ticket['grade_factors']).find(isMoisture)?.['result'] ?? null,
    split_percent: share.percent?.toFixed() ?? null,
    share_weight: share.weight?.toFixed() ?? null,
    net_units: share.units?.toFixed() ?? null,
    units_uom: uom,
    settlement_state: lines ? (isSettled ? 'settled' : 'open') : null,
    settled_units: settled?.toFixed() ?? null,
  };
  const field = !namesField(ticket);
  const told: Fields = { field, settled_otherwise: isMore || paid.length < (lines ?? []).length };
  const isNull = (what: string) => load[what] === null && !(field && what.startsWith('fsa_'));
  const missing = MISSING.filter((what) => told[what] ?? isNull(what));
  return {
    id: String(ticket['id']),
    ...load,
    settlements: [...new Set(lines?.map(({ of }) => of))],
    missing,
  };
}

const isMoisture = ({ code, name }: Fields) => code === 'MO' || name === 'moisture';

const inOrder = new Intl.Collator('en', { numeric: true }).compare;

/** The loads by where they grew, what is not assigned first. What was pushed in two spellings is two places. */
function fieldsOf(loads: Load[]) {
  const groups = new Map<string, Load[]>();
  for (const load of loads) {
    const by = load['fsa_field_number'] === null ? PLACE : BY_NUMBER;
    const place = by.map((name) => [name, load[name] === null ? null : String(load[name])]);
    addTo(groups, namesField(load) ? JSON.stringify(place) : '[]', load);
  }
  return [...groups]
    .sort(([a], [b]) => Number(b === '[]') - Number(a === '[]') || inOrder(a, b))
    .map(([key, of]) => {
      const place = new Map(JSON.parse(key) as [string, string | null][]);
      const named = Object.fromEntries(PLACE.map((name) => [name, place.get(name) ?? null]));
      return { ...named, assigned: place.size > 0, sums: sumsOf(of), loads: of };
    });
}

/** The sums of each crop and unit. */
function sumsOf(loads: Load[], ...more: string[]): Fields[] {
  const by = [...more, 'commodity', 'weight_uom', 'units_uom'];
  const groups = new Map<string, Load[]>();
  for (const load of loads) addTo(groups, JSON.stringify(by.map((name) => load[name])), load);
  const total = (of: Load[], name: string) => sum(of.map((load) => load[name]).filter((one) => one !== null));
  return [...groups.values()].map((of) => ({
    ...Object.fromEntries(by.map((name) => [name, of[0]![name]])),
    ...{ loads: of.length, settled_loads: of.filter((one) => one['settlement_state'] === 'settled').length },
    ...Object.fromEntries(SUMMED.map((name) => [name, total(of, name)?.toFixed() ?? null])),
  }));
}

/** Exact; null where there is no figure, or one of them is none. */
const sum = (figures: unknown[]): Big | null =>
  figures.length > 0 && figures.every(isFigure)
    ? figures.reduce<Big>((total, figure: Figure) => total.plus(figure), new Big(0))
    : null;

/** The items of a list but those that nobody may see. */
const itemsOf = (list: unknown) =>
  (Array.isArray(list) ? list : []).filter((one): one is Fields => typeof one === 'object' && one !== null);

const idOf = (reference: unknown) => (reference as { id?: unknown } | null | undefined)?.id;

const numberOf = ({ ticket_number, settlement_number, remote_id, id }: Fields) =>
  String(ticket_number ?? settlement_number ?? remote_id ?? id);

const timeOf = ({ weighed_at: at }: Load) => (typeof at === 'string' ? Date.parse(at) : Infinity);
