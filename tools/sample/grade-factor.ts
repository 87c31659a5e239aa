export interface FactorShape {
  mean: number;
  deviation: number;
  lowest: number;
  highest: number;
}

/** What a grader measures on a load. */
export interface Factor extends FactorShape {
  code: string;
  name: string;
  uom: 'percent' | 'lb/bu' | 'ppm' | 'sec';
  /** Digits after the point, as the instrument shows them. */
  places: 0 | 1;
  /** Premium (+) or discount (-) in whole cents a bushel for a result. */
  cents?: (result: number) => number;
}

/** So many cents off for every point over the limit. */
export function over(limit: number, centsPerPoint: number): (result: number) => number {
  return (result) => -Math.round(Math.max(0, result - limit) * centsPerPoint);
}

/** So many cents off for every point below the limit. */
export function below(limit: number, centsPerPoint: number): (result: number) => number {
  return (result) => -Math.round(Math.max(0, limit - result) * centsPerPoint);
}

/** Four cents a fifth of a point of protein around 14.0, the premium ending at 15.0. */
export function byProtein(result: number): number {
  return Math.round((Math.min(result, 15) - 14) * 20);
}
