import { Type } from '@sinclair/typebox';
import {
  choice,
  cropYear,
  currency,
  day,
  flag,
  identifier,
  lifecycle,
  list,
  object,
  ordinal,
  quantity,
  reference,
  requiredReference,
  text,
  unit,
} from './fields';

const prices = () => ({
  futures_month: text(),
  futures_price: quantity(),
  basis_price: quantity(),
  cash_price: quantity(),
});

const pricingLine = object({
  id: reference(),
  line_number: ordinal(),
  delivery_start: day(),
  delivery_end: day(),
  quantity: quantity(),
  ...prices(),
  status: text(),
});

const amendment = object({
  changed_field: text(),
  // Any value that the field may have: text, a figure, a flag.
  new_value: Type.Optional(Type.Unknown()),
  changed_on: day(),
});

/** A purchase or sales contract. */
export const contractSchema = object(
  {
    id: identifier(),
    account_id: requiredReference(),
    contract_number: text(),
    direction: choice(['purchase', 'sale']),
    contract_type: choice([
      'priced',
      'basis_fixed',
      'futures_fixed',
      'hedged_to_arrive',
      'priced_later',
      'minimum_priced',
    ]),
    status: choice(['open', 'unfilled', 'unpriced', 'closed', 'cancelled']),
    contract_date: day(),
    expires_on: day(),
    signed: flag(),

    commodity: text(),
    grade: text(),
    crop_year: cropYear(),
    elevator_id: reference(),
    freight_terms: text(),
    tolerance_percent: quantity(),

    quantity: quantity(),
    quantity_applied: quantity(),
    quantity_priced: quantity(),
    quantity_settled: quantity(),
    quantity_cancelled: quantity(),
    quantity_remaining: quantity(),
    uom: unit(),

    ...prices(),
    minimum_price: quantity(),
    price_uom: unit(),
    currency: currency(),

    pricing_lines: list(pricingLine),
    amendments: list(amendment),
    ...lifecycle(),
  },
  { title: 'Contract', description: 'a contract' },
);
