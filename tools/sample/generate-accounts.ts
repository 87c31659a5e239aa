import { DAY, instantText } from './calendar';
import { SURNAMES } from './people';
import { PLACE_WORDS } from './places';
import type { Random } from './random';

export interface SampleAccount {
  id: string;
  name: string;
  phones: { phone: string }[];
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

const AREA_CODES = ['701', '320', '605', '218'] as const;
// A farmer's own number ends in 00-79 and a second one at the house in 80-99, so a second phone is never a neighbour's.
const OWN_NUMBERS = 80;
export const SECOND_NUMBERS = Array.from({ length: 20 }, (_, index) => OWN_NUMBERS + index);

/** Ids from 1001. Of every ten accounts the second is a trust of the first one's farmer, under the same phone. */
export function generateAccounts(random: Random, count: number, cropYear: number): SampleAccount[] {
  const accounts: SampleAccount[] = [];
  for (let index = 0; index < count; index++) {
    const farmer = index % 10 === 1 ? accounts[index - 1] : undefined;
    accounts.push(account(random, index, cropYear, farmer));
  }
  return accounts;
}

function account(random: Random, index: number, cropYear: number, farmer?: SampleAccount): SampleAccount {
  const created =
    Date.UTC(cropYear, 1, 1) - random.integer(1, 3000) * DAY + random.integer(14, 22) * (DAY / 24);
  return {
    id: String(1001 + index),
    name: farmer ? `${farmer.name.split(' ')[0]} Land Trust` : farmName(random),
    phones: farmer ? structuredClone(farmer.phones) : phones(random, index),
    created_at: instantText(created),
    updated_at: instantText(created + random.integer(0, 300) * DAY),
    deleted_at: null,
  };
}

function farmName(random: Random): string {
  const surname = random.pick(SURNAMES);
  const kind = random.pick([
    'Farms',
    'Brothers',
    '& Sons',
    'Family Farm LLP',
    'Grain & Cattle',
    'place',
  ] as const);
  return kind === 'place' ? `${surname} ${random.pick(PLACE_WORDS)} Farms` : `${surname} ${kind}`;
}

function phones(random: Random, index: number): { phone: string }[] {
  const area = AREA_CODES[index % AREA_CODES.length]!;
  const own = Math.floor(index / AREA_CODES.length) % OWN_NUMBERS;
  const numbers = [own];
  if (random.chance(0.25)) numbers.push(random.pick(SECOND_NUMBERS));
  return numbers.map((number) => ({ phone: fictionalPhone(area, number) }));
}

/** 555-0100 to 555-0199 are kept for fiction. */
export function fictionalPhone(areaCode: string, lastTwoDigits: number): string {
  return `${areaCode}55501${String(lastTwoDigits).padStart(2, '0')}`;
}
