import { DAY, dateText, instantText } from './calendar';
import { decimalText, fromHundredths } from './fixed-point';
import { paidLine, type PaidLine, type SoldGrain } from './paid-line';
import type { Random } from './random';
import { adjustments } from './settlement-adjustments';

export type SampleSettlement = ReturnType<typeof settlementSheet>;

/** The sheet of one account and commodity. Cents are whole numbers until they are written, so that lines + adjustments = net. */
export function settlementSheet(random: Random, id: string, settledAt: number, grain: SoldGrain[]) {
  const [first] = grain as [SoldGrain];
  const lines = grain.map(paidLine);
  const grossCents = total(lines.map(({ cents }) => cents));
  const adjusted = adjustments(lines, grossCents);
  const adjustedCents = total(adjusted.map(({ cents }) => cents));
  const net_amount = decimalText(grossCents + adjustedCents, 2);
  const accountId = first.placement.accountId;
  const status = random.pick(['paid', 'paid', 'posted', 'draft']);
  return {
    id,
    settlement_number: id.slice(2),
    account_id: accountId,
    settlement_date: dateText(settledAt),
    status,
    kind: random.chance(0.9) ? 'settlement' : 'deferred',
    commodity: first.haul.commodity.name,
    crop_year: first.haul.cropYear,
    elevator_id: first.haul.farm.elevatorId,
    payees: [{ account_id: accountId, amount: net_amount }],
    ...units(lines),
    lines: lines.map((line, index) => lineRecord(`${id}-${index + 1}`, line)),
    adjustments: adjusted.map(({ record }) => record),
    gross_amount: decimalText(grossCents, 2),
    adjustments_amount: decimalText(adjustedCents, 2),
    tax_amount: '0.00',
    net_amount,
    currency: 'USD',
    payments: status === 'paid' ? [payment(random, settledAt, net_amount)] : [],
    updated_at: instantText(settledAt),
  };
}

function units(lines: PaidLine[]) {
  return {
    gross_units: fromHundredths(total(lines.map(({ gross }) => gross))),
    shrink_units: fromHundredths(total(lines.map(({ shrink }) => shrink))),
    dockage_units: fromHundredths(total(lines.map(({ dockage }) => dockage))),
    net_units: fromHundredths(total(lines.map(({ grain }) => grain.placement.units))),
    uom: 'bu',
  };
}

function lineRecord(id: string, { grain, gross, cents }: PaidLine) {
  const { placement, ticketId, price } = grain;
  return {
    id,
    ticket_id: ticketId,
    ...(placement.contract && { contract_id: placement.contract.id }),
    gross_units: fromHundredths(gross),
    net_units: fromHundredths(placement.units),
    unit_price: decimalText(price, 4),
    amount: decimalText(cents, 2),
  };
}

/** A check or transfer of the whole amount on the day after. */
export function payment(random: Random, settledAt: number, amount: string) {
  return {
    payment_number: String(random.integer(20_000, 99_999)),
    method: random.pick(['check', 'ach']),
    paid_on: dateText(settledAt + DAY),
    amount,
    status: 'issued',
  };
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
