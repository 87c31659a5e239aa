import { plainName } from '../../domain/text/nearest-name';

// How grain ERPs call columns. A name counts only where all of its words are known.

/** What a word means: `wt` is a weight. */
const WORDS: Record<string, string> = {
  no: 'no nr num number nbr id code nummer',
  ticket: 'ticket tkt scaletkt wiegeschein lieferschein',
  contract: 'contract contr cont ctr kontrakt vertrag',
  settlement: 'settlement settle document doc bill',
  account:
    'account acct customer cust vendor patron producer grower supplier seller member payee farmer kunde lieferant konto party owner tenant',
  'account 2': 'landlord',
  direction: 'dir',
  state: 'st',
  site: 'location loc site branch elevator plant lager',
  commodity: 'commodity comm cmdty crop grain item product ware bezeichnung',
  gross: 'gross grs brutto',
  net: 'netto',
  in: '',
  out: '',
  tare: 'tara',
  weight: 'weight wt lb lbs pounds kg measures gewicht',
  bushel: 'bu bushel unit units qty quantity quantities menge abr',
  shrink: 'shrinkage shr',
  dockage: 'dock besatz',
  moisture: 'mo moist feuchte',
  tw: 'testweight testwt',
  fm: 'fmt',
  share: 'pct percent anteil',
  disposition: 'disp dpr',
  day: 'date datum dt when',
  time: 'uhrzeit',
  year: 'yr erntejahr',
  begin: 'start',
  expires: 'expiration exp lieferung',
  sold: 'abschluss',
  name: 'nm',
  price: 'preis',
  futures: 'fut',
  balance: 'left remaining rest',
  cancelled: 'canceled',
  truck: 'vehicle',
  license: 'plate',
  factor: '',
  master: 'wager',
  amount: 'amt betrag',
  month: 'monat',
  memo: 'comment remark note',
  phone: 'phone cell mobile tel',
};
const MEANING = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning])),
);
const NOISE = new Set(['t', 'of', 'the', 'scale', 'grade', 'content', 'bis', 'weighed', 'wgt', 'per']);

/** The further names of fields, by record type or list; `|` parts them. Each field has its own name as well. */
const NAMES: Record<string, Record<string, string>> = {
  any: { account_id: 'name no|account name no', crop_year: 'year' },
  tickets: {
    direction: 'in out|type|kind',
    status: 'state',
    gross_weight: 'gross',
    tare_weight: 'tare',
    net_weight: 'net',
    net_units: 'bushel',
    weigh_master: 'master',
    truck_name: 'truck',
    truck_driver: 'driver|driver name',
    truck_license: 'license',
    farm_name: 'farm',
    field_name: 'field',
  },
  contracts: {
    direction: 'p s',
    contract_type: 'type',
    contract_date: 'day sold|sold|day',
    expires_on: 'expires|expires day',
    quantity: 'contracted|bushel sold|bushel contract',
    quantity_applied: 'applied|delivered|bushel delivered',
    quantity_priced: 'priced',
    quantity_settled: 'settled',
    quantity_cancelled: 'cancelled',
    quantity_remaining: 'balance',
    uom: 'me',
    cash_price: 'price|cash',
  },
  settlements: { settlement_date: 'day' },
  accounts: { name: 'account name', created_at: 'opened', deleted_at: 'closed' },
  elevators: { name: 'site name' },
};

/** The names of the fields that items of a list are drafted of. Without both of the first two there is no item. */
export const LISTS: Record<string, Record<string, string>> = {
  splits: {
    account_id: 'account|name no|split account|account name no',
    split_percent: 'share|split share|account share',
    id: 'split',
    net_units: 'split bushel|share bushel',
    contract_id: 'contract',
    disposition: 'disposition',
  },
  grade_factors: {
    code: 'factor|factor no',
    result: 'value|result',
    name: 'factor label|factor name',
    result_uom: 'bushel',
  },
  pricing_lines: {
    line_number: 'line',
    quantity: 'line bushel',
    delivery_start: 'del begin|delivery begin',
    delivery_end: 'del end|delivery end',
    futures_month: 'futures moisture|futures month',
    futures_price: 'futures|futures price',
    basis_price: 'basis',
    cash_price: 'cash|cash price',
    status: 'line status',
  },
  applications: { contract_id: 'contract' },
};

/** The ways to say a field of a record: its own name, and those of the type or of any. */
export const waysOf = (type: string, field: string): string =>
  [meantWords(field).words, NAMES[type]?.[field], NAMES['any']![field]].filter(isSaid).join('|');

// A record has several ids and numbers.
const isSaid = (way: string | undefined) => way !== undefined && way !== '' && way !== 'no';

/** Names that say what a record is known by. */
export const IDS: Record<string, string> = {
  tickets: 'ticket|no',
  contracts: 'contract|no',
  settlements: 'settlement|no',
  accounts: 'account|name no|account name no|no',
  elevators: 'site|no',
};

/** Columns of one grade factor each, by its code. */
const FACTORS: Record<string, string> = {
  MO: 'moisture|moisture share',
  TW: 'tw|tw weight|test weight',
  HL: 'hl weight',
  FM: 'fm',
  DK: 'dockage share',
};

export const factorOf = (words: string) => Object.keys(FACTORS).find((code) => says(words, FACTORS[code]!));

/** The codes of a meaning, by field. */
const CODES: Record<string, Record<string, string>> = {
  direction: { inbound: 'i in', outbound: 'o out', purchase: 'p', sale: 's' },
  status: {
    complete: 'c closed',
    closed: 'c',
    open: 'o',
    in_yard: 'o open',
    void: 'v',
    paid: 'paidinfull',
    cancelled: 'x',
    unpriced: 'u',
  },
  commodity: { Corn: 'yc corn', Soybeans: 'sb soyb', 'Spring wheat': 'sw' },
  disposition: {
    open_storage: 'os open',
    priced: 'pr',
    priced_later: 'dp',
    hedged_to_arrive: 'ht hta',
    basis_fixed: 'bf',
    grain_bank: 'bank',
  },
  uom: { mt: 't', bu: 'bushels', lb: 'lbs pounds' },
};

/** The meaning of a code; undefined where nobody can know. @param known the values that the field has */
export function meaningOf(field: string, code: string, known: readonly string[]): string | undefined {
  const plain = plainName(code);
  const codes = Object.entries(CODES[field === 'contract_type' ? 'disposition' : field] ?? {});
  const meant = codes.flatMap(([meaning, all]) => (all.split(' ').includes(plain) ? meaning : []));
  return (
    known.find((value) => plainName(value) === plain) ??
    meant.find((value) => known.length === 0 || known.includes(value))
  );
}

/**
 * The words of a name as they are meant, in the order of the alphabet, and which of several it is: `Customer 2`.
 * @param isPath of JSON, where what encloses a member may be called anything
 */
export function meantWords(name: string, isPath = false): { words: string; index: string } {
  const plain = name
    .replace(/ß/g, 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/%/g, ' pct ')
    .replace(/#/g, ' no ')
    .replace(/([a-z])(?=[A-Z0-9])|([A-Z])(?=[A-Z][a-z])|(\d)(?=[A-Z])/g, '$1$2$3 ')
    .toLowerCase();
  const meant = plain.split('.').flatMap((part, at, all) => {
    const parts = part.split(/[^a-z0-9]+/).filter((one) => one !== '' && !NOISE.has(one));
    const known = parts.flatMap(pieces);
    return isPath && at < all.length - 1 ? known.filter(isKnown) : known;
  });
  const said = meant.flatMap((part) => (MEANING.get(part) ?? part).split(' '));
  const words = [...new Set(said.filter((word) => !/^\d$/.test(word)))].sort();
  const others = words.filter((word) => word !== 'no');
  const kept = words.includes('name') || others.length === 0 ? words : others;
  return { words: kept.join(' '), index: said.find((word) => /^\d$/.test(word)) ?? '' };
}

const isKnown = (word: string) => MEANING.has(word) || Object.hasOwn(WORDS, word);

/** `tickets` and `netbu` are made of words that are known. */
function pieces(part: string): string[] {
  if (isKnown(part) || part.length < 4) return [part];
  const ends = Array.from({ length: part.length - 3 }, (_, at) => [
    part.slice(0, at + 2),
    part.slice(at + 2),
  ]);
  const one = part.replace(/s$/, '');
  return ends.find((two) => two.every(isKnown)) ?? [isKnown(one) ? one : part];
}

/** Whether a name says this, in one of the ways that are parted by `|`. */
export const says = (words: string, ways: string): boolean =>
  words !== '' && ways.split('|').some((way) => way.split(' ').sort().join(' ') === words);
