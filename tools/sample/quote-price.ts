import type { Commodity } from './commodities';
import type { Random } from './random';

/** Ten-thousandths of a dollar a bushel; cash = futures + basis. */
export interface Quote {
  futures: number;
  basis: number;
  cash: number;
}

/** Futures move in quarter cents; the basis lies 10 to 80 cents under them, in whole cents. */
export function quotePrice(random: Random, commodity: Commodity): Quote {
  const futures = 25 * Math.round(random.normal(commodity.futuresPrice, commodity.futuresPrice * 0.03) / 25);
  const basis = -100 * random.integer(10, 80);
  return { futures, basis, cash: futures + basis };
}
