import { below, byProtein, over, type Factor, type FactorShape } from './grade-factor';

export interface Commodity {
  name: string;
  poundsPerBushel: number;
  baseMoisture: number;
  /** From the best; a load's discounts decide which (grade-load.ts). */
  grades: readonly [string, string, string];
  /** Month and day, both inside one month-day order; peak is the busiest day. */
  harvest: { first: [number, number]; last: [number, number]; peak: [number, number] };
  futuresMonth: string;
  /** Ten-thousandths of a dollar a bushel. */
  futuresPrice: number;
  checkoff: { description: string; basis: 'per_unit' | 'percent'; tenThousandths: number };
  factors: readonly Factor[];
}

/** Normally distributed about a mean, never outside what is ever seen. */
function around(mean: number, deviation: number, lowest: number, highest: number): FactorShape {
  return { mean, deviation, lowest, highest };
}

export const CORN: Commodity = {
  name: 'corn',
  poundsPerBushel: 56,
  baseMoisture: 15,
  grades: ['US No. 1 Yellow', 'US No. 2 Yellow', 'US No. 3 Yellow'],
  harvest: { first: [10, 3], last: [11, 12], peak: [10, 22] },
  futuresMonth: 'Z',
  futuresPrice: 43_250,
  checkoff: { description: 'State corn checkoff', basis: 'per_unit', tenThousandths: 100 },
  factors: [
    { code: 'MO', name: 'Moisture', uom: 'percent', places: 1, ...around(17, 1.6, 12.5, 24) },
    {
      code: 'TW',
      name: 'Test weight',
      uom: 'lb/bu',
      places: 1,
      ...around(56.8, 1.4, 49, 61),
      cents: below(54, 1),
    },
    {
      code: 'BCFM',
      name: 'Broken corn and foreign material',
      uom: 'percent',
      places: 1,
      ...around(1.9, 0.8, 0.2, 7),
      cents: over(3, 2),
    },
    {
      code: 'DMG',
      name: 'Damage, total',
      uom: 'percent',
      places: 1,
      ...around(2.2, 1.3, 0, 12),
      cents: over(5, 2),
    },
  ],
};

export const SOYBEANS: Commodity = {
  name: 'soybeans',
  poundsPerBushel: 60,
  baseMoisture: 13,
  grades: ['US No. 1 Yellow', 'US No. 2 Yellow', 'US No. 3 Yellow'],
  harvest: { first: [9, 14], last: [10, 2], peak: [9, 25] },
  futuresMonth: 'X',
  futuresPrice: 104_075,
  checkoff: { description: 'National soybean checkoff', basis: 'percent', tenThousandths: 50 },
  factors: [
    { code: 'MO', name: 'Moisture', uom: 'percent', places: 1, ...around(12, 1.1, 8.5, 16) },
    {
      code: 'FM',
      name: 'Foreign matter',
      uom: 'percent',
      places: 1,
      ...around(0.7, 0.4, 0.1, 4),
      cents: over(1, 8),
    },
    { code: 'SPL', name: 'Splits', uom: 'percent', places: 1, ...around(8, 4, 0.5, 30), cents: over(20, 1) },
    {
      code: 'DMG',
      name: 'Damage, total',
      uom: 'percent',
      places: 1,
      ...around(1.1, 0.6, 0, 6),
      cents: over(2, 4),
    },
  ],
};

export const WHEAT: Commodity = {
  name: 'hard red spring wheat',
  poundsPerBushel: 60,
  baseMoisture: 13.5,
  grades: ['US No. 1 Dark Northern Spring', 'US No. 2 Northern Spring', 'US No. 3 Northern Spring'],
  harvest: { first: [7, 29], last: [9, 4], peak: [8, 16] },
  futuresMonth: 'U',
  futuresPrice: 63_500,
  checkoff: { description: 'State wheat checkoff', basis: 'per_unit', tenThousandths: 200 },
  factors: [
    { code: 'MO', name: 'Moisture', uom: 'percent', places: 1, ...around(12.9, 0.9, 9.5, 17) },
    {
      code: 'PRO',
      name: 'Protein',
      uom: 'percent',
      places: 1,
      ...around(14.2, 0.7, 11, 17),
      cents: byProtein,
    },
    { code: 'DKG', name: 'Dockage', uom: 'percent', places: 1, ...around(0.9, 0.4, 0.1, 4) },
    { code: 'DON', name: 'Vomitoxin', uom: 'ppm', places: 1, ...around(0.5, 0.4, 0, 5), cents: over(1, 10) },
    {
      code: 'FN',
      name: 'Falling number',
      uom: 'sec',
      places: 0,
      ...around(370, 30, 150, 470),
      cents: below(300, 0.4),
    },
  ],
};

export const COMMODITIES: readonly Commodity[] = [CORN, SOYBEANS, WHEAT];
