import {
  choice,
  cropYear,
  currency,
  day,
  identifier,
  lifecycle,
  list,
  measurement,
  object,
  quantity,
  reference,
  requiredReference,
  text,
  unit,
} from './fields';

const payee = object({ account_id: reference() });

const line = object({
  id: reference(),
  ticket_id: reference(),
  contract_id: reference(),
  gross_units: quantity(),
  net_units: quantity(),
  unit_price: quantity(),
  amount: quantity(),
});

const adjustment = object({
  class: choice([
    'premium',
    'discount',
    'checkoff',
    'grain_tax',
    'storage',
    'drying',
    'freight',
    'service_charge',
    'interest',
    'advance',
    'lien',
  ]),
  description: text(),
  basis: measurement(),
  rate: quantity(),
  units: quantity(),
  amount: quantity(),
});

const payment = object({
  payment_number: text(),
  method: text(),
  paid_on: day(),
  amount: quantity(),
  status: text(),
});

/** A settlement sheet, which insurers rely on most. */
export const settlementSchema = object(
  {
    id: identifier(),
    account_id: requiredReference(),
    settlement_number: text(),
    settlement_date: day(),
    status: choice(['draft', 'posted', 'paid', 'reversed', 'void']),
    kind: choice(['settlement', 'advance', 'deferred', 'installment']),
    commodity: text(),
    crop_year: cropYear(),
    elevator_id: reference(),
    payees: list(payee),

    gross_units: quantity(),
    shrink_units: quantity(),
    dockage_units: quantity(),
    net_units: quantity(),
    uom: unit(),

    lines: list(line),
    adjustments: list(adjustment),
    gross_amount: quantity(),
    adjustments_amount: quantity(),
    tax_amount: quantity(),
    net_amount: quantity(),
    currency: currency(),
    payments: list(payment),
    ...lifecycle(),
  },
  { title: 'Settlement', description: 'a settlement' },
);
