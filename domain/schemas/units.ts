import type { RecordType } from '../commands';

/** A unit's field and the figures in that unit: fields of the record, and `list.figure` for the items of a list. */
export type Units = readonly (readonly [unit: string, figures: readonly string[]])[];

const PRICES = ['futures_price', 'basis_price', 'cash_price', 'minimum_price'];
const PRICES_OF_LINES = ['futures_price', 'basis_price', 'cash_price'].map(
  (price) => `pricing_lines.${price}`,
);

/** The field with the unit of each figure (docs/records.md). Percentages have none. */
export const UNITS: Readonly<Record<RecordType, Units>> = {
  elevators: [],
  accounts: [],
  contracts: [
    [
      'uom',
      [
        'quantity',
        'quantity_applied',
        'quantity_priced',
        'quantity_settled',
        'quantity_cancelled',
        'quantity_remaining',
        'pricing_lines.quantity',
      ],
    ],
    ['price_uom', [...PRICES, ...PRICES_OF_LINES]],
    ['currency', [...PRICES, ...PRICES_OF_LINES]],
  ],
  tickets: [
    ['weight_uom', ['gross_weight', 'tare_weight', 'net_weight']],
    [
      'units_uom',
      ['gross_units', 'shrink_units', 'dockage_units', 'net_units', 'splits.net_units', 'applications.units'],
    ],
  ],
  settlements: [
    [
      'uom',
      [
        'gross_units',
        'shrink_units',
        'dockage_units',
        'net_units',
        'lines.gross_units',
        'lines.net_units',
        'adjustments.units',
      ],
    ],
    [
      'currency',
      [
        'gross_amount',
        'adjustments_amount',
        'tax_amount',
        'net_amount',
        'lines.unit_price',
        'lines.amount',
        'adjustments.amount',
        'payments.amount',
      ],
    ],
  ],
};
