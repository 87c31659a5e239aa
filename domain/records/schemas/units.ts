import type { RecordType } from '../commands';

/** By the field of a unit the figures in it: fields of the record, and `list.figure` for the items of a list. */
type Units = Readonly<Record<string, readonly string[]>>;

const IN_LINES = ['futures_price', 'basis_price', 'cash_price'];
const PRICES = [...IN_LINES, 'minimum_price', ...IN_LINES.map((price) => `pricing_lines.${price}`)];

/** The field with the unit of each figure (docs/records.md). Percentages have none. */
export const UNITS: Readonly<Record<RecordType, Units>> = {
  elevators: {},
  accounts: {},
  contracts: {
    uom: [
      'quantity',
      'quantity_applied',
      'quantity_priced',
      'quantity_settled',
      'quantity_cancelled',
      'quantity_remaining',
      'pricing_lines.quantity',
    ],
    price_uom: PRICES,
    currency: PRICES,
  },
  tickets: {
    weight_uom: ['gross_weight', 'tare_weight', 'net_weight'],
    units_uom: [
      'gross_units',
      'shrink_units',
      'dockage_units',
      'net_units',
      'splits.net_units',
      'applications.units',
    ],
  },
  settlements: {
    uom: [
      'gross_units',
      'shrink_units',
      'dockage_units',
      'net_units',
      'lines.gross_units',
      'lines.net_units',
      'adjustments.units',
    ],
    currency: [
      'gross_amount',
      'adjustments_amount',
      'tax_amount',
      'net_amount',
      'lines.unit_price',
      'lines.amount',
      'adjustments.amount',
      'payments.amount',
    ],
  },
};
