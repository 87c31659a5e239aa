import { STREETS, TOWNS } from './places';
import type { Random } from './random';

const COMPASS = ['', ' North', ' South', ' East', ' West'] as const;

/** One elevator a town, then a second one on another side of it. */
export function generateElevators(random: Random, count: number): SampleElevator[] {
  return Array.from({ length: count }, (_, index) => elevator(random, index));
}

export type SampleElevator = ReturnType<typeof elevator>;

function elevator(random: Random, index: number) {
  const town = TOWNS[index % TOWNS.length]!;
  const side = COMPASS[Math.floor(index / TOWNS.length) % COMPASS.length]!;
  const slug = `${town.city}${side}`.toLowerCase().replaceAll(' ', '-');
  return {
    id: String(100 + index),
    name: `Prairie Co-op ${town.city}${side}`,
    address_line_1: `${random.integer(1, 90) * 10} ${random.pick(STREETS)}`,
    address_line_2: random.chance(0.2) ? `PO Box ${random.integer(10, 999)}` : '',
    city: town.city,
    state: town.state,
    zip_code: town.zip,
    phone: `+1${town.areaCode}55501${twoDigits(index)}`,
    fax: random.chance(0.4) ? `+1${town.areaCode}55501${twoDigits(index + 50)}` : '',
    email: `${slug}@prairie-coop.example`,
    website: `https://www.prairie-coop.example/${slug}`,
    cash_bids_hidden: random.chance(0.1),
    push_notifications_hidden: random.chance(0.2),
    deleted_at: null,
    version: `1.${random.integer(0, 4)}.${random.integer(0, 9)}`,
  };
}

function twoDigits(index: number): string {
  return String(index % 100).padStart(2, '0');
}
