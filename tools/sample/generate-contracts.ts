import { dateText, instantText } from './calendar';
import { decimalText, fromHundredths } from './fixed-point';
import type { PlannedContract } from './plan-contracts';

export type SampleContract = ReturnType<typeof contractRecord>;

/** The record as it stands now. */
export function contractRecord(contract: PlannedContract) {
  const { id, farm, commodity, cropYear, type, quantity, applied, date } = contract;
  const prices = agreedPrices(contract);
  const fixed = prices.cash_price !== undefined;
  return {
    id,
    contract_number: id.slice(2),
    account_id: farm.account.id,
    direction: 'purchase',
    contract_type: type,
    status: applied === quantity ? 'closed' : applied > 0 ? 'unfilled' : fixed ? 'open' : 'unpriced',
    contract_date: dateText(date),
    expires_on: `${cropYear}-12-31`,
    signed: contract.signed,
    commodity: commodity.name,
    grade: commodity.grades[1],
    crop_year: cropYear,
    elevator_id: farm.elevatorId,
    freight_terms: 'delivered',
    tolerance_percent: contract.tolerance,
    quantity: fromHundredths(quantity),
    quantity_applied: fromHundredths(applied),
    quantity_priced: fixed ? fromHundredths(quantity) : 0,
    quantity_settled: fromHundredths(contract.settled),
    quantity_cancelled: 0,
    quantity_remaining: fromHundredths(quantity - applied),
    uom: 'bu',
    ...prices,
    price_uom: 'bu',
    currency: 'USD',
    pricing_lines: [pricingLine(contract, prices, fixed)],
    amendments: [] as { changed_field: string; new_value: string; changed_on: string }[],
    updated_at: instantText(contract.lastChange),
  };
}

type AgreedPrices = Partial<
  Record<'futures_month' | 'futures_price' | 'basis_price' | 'cash_price' | 'minimum_price', string>
>;

/** Only what the type fixes is on the paper. */
function agreedPrices({ type, commodity, cropYear, quote }: PlannedContract): AgreedPrices {
  const futures_month = `${commodity.futuresMonth}${String(cropYear).slice(2)}`;
  const [futures_price, basis_price, cash_price] = [quote.futures, quote.basis, quote.cash].map((price) =>
    decimalText(price, 4),
  ) as [string, string, string];
  switch (type) {
    case 'priced':
      return { futures_month, futures_price, basis_price, cash_price };
    case 'basis_fixed':
      return { futures_month, basis_price };
    case 'futures_fixed':
    case 'hedged_to_arrive':
      return { futures_month, futures_price };
    case 'minimum_priced':
      return { futures_month, basis_price, minimum_price: decimalText(quote.cash - 2000, 4) };
    case 'priced_later':
      return { futures_month };
  }
}

function pricingLine(
  { id, commodity, cropYear, quantity }: PlannedContract,
  prices: AgreedPrices,
  fixed: boolean,
) {
  const { minimum_price: _, ...linePrices } = prices;
  const [month, day] = commodity.harvest.first;
  return {
    id: `${id}-1`,
    line_number: 1,
    delivery_start: dateText(Date.UTC(cropYear, month - 1, day)),
    delivery_end: `${cropYear}-12-31`,
    quantity: fromHundredths(quantity),
    ...linePrices,
    status: fixed ? 'priced' : 'open',
  };
}
