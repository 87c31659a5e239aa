import { plainName } from '../../domain/nearest-name';

// How grain ERPs call columns. A name counts only where all of its words are known.

/** What a word means: `wt` is a weight. */
const WORDS: Record<string, string> = {
  no: 'no nr num number nbr id code nummer',
  ticket: 'ticket tkt scaletkt wiegeschein lieferschein',
  contract: 'contract contr cont ctr kontrakt vertrag',
  settlement: 'settlement settle document doc',
  account:
    'account acct customer cust vendor patron producer grower supplier seller member payee farmer kunde lieferant konto party owner tenant',
  'account 2': 'landlord',
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

/** The words of which a name must consist, by field; `|` parts the ways to say it. */
export const NAMES: Record<string, Record<string, string>> = {
  tickets: {
    elevator_id: 'site',
    direction: 'in out|direction|dir|type|kind',
    status: 'status|state',
    void_reason: 'void reason',
    replaces_ticket_id: 'replaces ticket',
    commodity: 'commodity',
    crop_year: 'commodity year|year',
    gross_weight: 'gross weight|gross',
    tare_weight: 'tare weight|tare',
    net_weight: 'net weight|net',
    gross_units: 'gross bushel',
    shrink_units: 'shrink bushel',
    dockage_units: 'dockage bushel',
    net_units: 'net bushel|bushel',
    account_id: 'account|name no|account name no',
    weigh_master: 'master',
    driver_on: 'driver on',
    truck_name: 'truck|truck name',
    truck_driver: 'driver|driver name|truck driver',
    truck_license: 'truck license|license',
    farm_name: 'farm',
    field_name: 'field',
    county: 'county',
    fsa_farm_number: 'fsa farm',
    fsa_tract_number: 'fsa tract',
  },
  contracts: {
    elevator_id: 'site',
    direction: 'p s|direction',
    contract_type: 'type',
    account_id: 'account|name no|account name no',
    commodity: 'commodity',
    crop_year: 'commodity year|year',
    contract_date: 'contract day|day sold|sold|day',
    expires_on: 'expires|expires day',
    quantity: 'contracted|bushel|bushel sold|bushel contract',
    quantity_applied: 'applied|applied bushel|delivered|bushel delivered',
    quantity_priced: 'priced',
    quantity_settled: 'settled',
    quantity_cancelled: 'cancelled',
    quantity_remaining: 'balance|bushel balance',
    uom: 'uom|me',
    status: 'status',
    signed: 'signed',
    cash_price: 'price|cash|cash price',
  },
  settlements: {
    elevator_id: 'site',
    account_id: 'account|name no|account name no',
    settlement_date: 'day|settlement day',
    gross_amount: 'amount gross',
    net_amount: 'amount net',
    status: 'status',
    commodity: 'commodity',
    crop_year: 'commodity year|year',
  },
  accounts: { name: 'name|account name', created_at: 'opened', deleted_at: 'closed' },
  elevators: { name: 'name|site name', city: 'city', state: 'st|state', zip_code: 'zip' },
  splits: {
    account_id: 'account|name no|split account|account name no',
    id: 'split',
    split_percent: 'share|split share|account share',
    net_units: 'split bushel|share bushel',
    contract_id: 'contract',
    disposition: 'disposition',
  },
  grade_factors: {
    code: 'factor|factor no',
    name: 'factor label|factor name',
    result: 'value|result',
    result_uom: 'bushel',
  },
  pricing_lines: {
    line_number: 'line',
    delivery_start: 'del begin|delivery begin',
    delivery_end: 'del end|delivery end',
    quantity: 'line bushel',
    futures_month: 'futures moisture|futures month',
    futures_price: 'futures|futures price',
    basis_price: 'basis',
    cash_price: 'cash|cash price',
    status: 'line status',
  },
};

/** Names that say what a record is known by. */
export const IDS: Record<string, string> = {
  tickets: 'ticket|no',
  contracts: 'contract|no',
  settlements: 'settlement|no',
  accounts: 'account|name no|account name no|no',
  elevators: 'site|no',
};

/** Columns of grade factors, each of one. */
export const FACTORS: Record<string, string> = {
  moisture: 'MO', 'moisture share': 'MO', tw: 'TW', 'tw weight': 'TW', 'test weight': 'TW', 'hl weight': 'HL', fm: 'FM', 'dockage share': 'DK',
}; // prettier-ignore

/** What codes mean, of a field or of several. */
const CODES: Record<string, Record<string, string>> = {
  direction: { i: 'inbound', in: 'inbound', o: 'outbound', out: 'outbound', p: 'purchase', s: 'sale' },
  status: {
    closed: 'complete', c: 'complete|closed', v: 'void', paidinfull: 'paid', o: 'open|in_yard', open: 'in_yard', x: 'cancelled', u: 'unpriced',
  },
  commodity: {
    yc: 'Corn', corn: 'Corn', sb: 'Soybeans', soyb: 'Soybeans', sw: 'Spring wheat',
  },
  disposition: { os: 'open_storage', open: 'open_storage', pr: 'priced', dp: 'priced_later', ht: 'hedged_to_arrive', hta: 'hedged_to_arrive', bf: 'basis_fixed', bank: 'grain_bank' },
  uom: { t: 'mt', bushels: 'bu' },
}; // prettier-ignore

/** The meaning of a code; undefined where nobody can know. @param known the values that the field has */
export function meaningOf(field: string, code: string, known: readonly string[]): string | undefined {
  const plain = plainName(code);
  const same = known.find((value) => plainName(value) === plain);
  if (same !== undefined) return same;
  const codes = CODES[field === 'contract_type' ? 'disposition' : field] ?? {};
  const meant = Object.hasOwn(codes, plain) ? codes[plain]!.split('|') : [];
  return known.length === 0 ? meant[0] : meant.find((value) => known.includes(value));
}

/**
 * The words of a name as they are meant, in the order of the alphabet, and which of several it is: `Customer 2`.
 * @param isPath of JSON, where what encloses a member may be called anything
 */
export function meantWords(name: string, isPath = false): { words: string; index: string } {
  const plain = name
    .replace(/\[[^\]=]*=(\w+)\]/g, ' $1 ')
    .replace(/ß/g, 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/%/g, ' pct ')
    .replace(/#/g, ' no ')
    .replace(/([a-z])(?=[A-Z0-9])|([A-Z])(?=[A-Z][a-z])|(\d)(?=[A-Z])/g, '$1$2$3 ')
    .toLowerCase();
  const meant = plain.split('.').flatMap((part, at, all) => {
    const parts = part.split(/[^a-z0-9]+/).filter((one) => one !== '' && !NOISE.has(one)).flatMap(pieces); // prettier-ignore
    return isPath && at < all.length - 1 ? parts.filter(isKnown) : parts;
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
  return (
    ends.find((two) => two.every(isKnown)) ??
    [part.replace(/s$/, '')].filter(isKnown).concat(part).slice(0, 1)
  );
}

/** Whether a name says this, in one of the ways that are parted by `|`. */
export const says = (words: string, ways: string | undefined): boolean =>
  words !== '' &&
  ways !== undefined &&
  ways.split('|').some((way) => way.split(' ').sort().join(' ') === words);
