import { DAY } from './calendar';
import type { Commodity } from './commodities';
import type { Disposition } from './dispositions';
import { UNPRICED } from './dispositions';
import type { Farm, Field } from './plan-farms';
import type { Random } from './random';

/** One farm hauling one commodity off one field for one day. */
export interface Haul extends HarvestDay {
  farm: Farm;
  field: Field;
  loads: number;
  /** What becomes of grain that no contract takes. */
  fallback: Disposition;
  /** The field's average result of each factor; its loads lie around it. */
  averages: number[];
}

interface HarvestDay {
  commodity: Commodity;
  cropYear: number;
  date: number;
}

const LOADS_A_DAY = { fewest: 10, most: 40 };

/** Enough days of hauling for so many tickets, in order of date. Farms take turns, so few tickets reach many farms. */
export function planHauls(random: Random, farms: Farm[], tickets: number, cropYear: number): Haul[] {
  if (tickets > 0 && farms.length === 0) throw new RangeError('tickets need an account to belong to');
  const calendars = farms.map((farm, index) => harvestDays(random, farm, index, cropYear));
  const hauls: Haul[] = [];
  for (let left = tickets; left > 0; left -= hauls.at(-1)!.loads) {
    const turn = hauls.length % farms.length;
    const farm = farms[turn]!;
    const day = calendars[turn]!.next().value;
    hauls.push({
      ...day,
      farm,
      field: random.pick(farm.fields),
      loads: loadsOfDay(random, left),
      fallback: hauls.length % 2 === 0 ? 'priced' : random.pick(UNPRICED),
      averages: day.commodity.factors.map(({ mean, deviation }) => random.normal(mean, deviation)),
    });
  }
  return hauls.sort((one, other) => one.date - other.date);
}

/** Never leaves a rest too small for a day of its own. */
function loadsOfDay(random: Random, left: number): number {
  const { fewest, most } = LOADS_A_DAY;
  if (left < 2 * fewest) return left;
  return Math.min(random.integer(fewest, most), left - fewest);
}

/** A farm's days of harvest, crop by turns, the busiest days first; when a year is used up, the year before. */
function* harvestDays(
  random: Random,
  farm: Farm,
  offset: number,
  lastYear: number,
): Generator<HarvestDay, never> {
  for (let cropYear = lastYear; ; cropYear--) {
    const seasons = farm.crops.map((commodity) => ({
      commodity,
      dates: season(random, commodity, cropYear),
    }));
    const longest = Math.max(...seasons.map(({ dates }) => dates.length));
    for (let turn = 0; turn < longest * seasons.length; turn++) {
      const { commodity, dates } = seasons[(turn + offset) % seasons.length]!;
      const date = dates.shift();
      if (date !== undefined) yield { commodity, cropYear, date };
    }
  }
}

function season(random: Random, { harvest }: Commodity, year: number): number[] {
  const [first, last, peak] = [harvest.first, harvest.last, harvest.peak].map(([month, day]) =>
    Date.UTC(year, month - 1, day),
  ) as [number, number, number];
  const days = Array.from({ length: (last - first) / DAY + 1 }, (_, index) => first + index * DAY);
  return days
    .map((date) => ({ date, distance: Math.abs(random.normal((date - peak) / DAY, 5)) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ date }) => date);
}
