import { DAY } from './calendar';
import type { Commodity } from './commodities';
import { CONTRACT_TYPES, type ContractType } from './dispositions';
import type { Farm } from './plan-farms';
import { quotePrice, type Quote } from './quote-price';
import type { Random } from './random';

/** A contract while tickets are still being applied to it; units in hundredths of a bushel. */
export interface PlannedContract {
  id: string;
  farm: Farm;
  commodity: Commodity;
  cropYear: number;
  type: ContractType;
  quantity: number;
  applied: number;
  settled: number;
  lastChange: number;
  date: number;
  signed: boolean;
  tolerance: number;
  quote: Quote;
}

/** Farms take turns, then their next crop; every other contract is priced, so that settlements have something to pay. */
export function planContracts(
  random: Random,
  farms: Farm[],
  count: number,
  cropYear: number,
): PlannedContract[] {
  if (count > 0 && farms.length === 0) throw new RangeError('contracts need an account to belong to');
  return Array.from({ length: count }, (_, index) => {
    const farm = farms[index % farms.length]!;
    const round = Math.floor(index / farms.length);
    const commodity = farm.crops[(index + round) % farm.crops.length]!;
    const date = Date.UTC(cropYear, 1, 1) + random.integer(0, 150) * DAY;
    return {
      id: `C-${String(cropYear).slice(2)}-${1001 + index}`,
      farm,
      commodity,
      cropYear,
      type: (index + round) % 2 === 0 ? 'priced' : random.pick(CONTRACT_TYPES),
      quantity: 100_000 * random.integer(3, 30),
      applied: 0,
      settled: 0,
      lastChange: date,
      date,
      signed: random.chance(0.85),
      tolerance: random.pick([0, 2, 5]),
      quote: quotePrice(random, commodity),
    };
  });
}
