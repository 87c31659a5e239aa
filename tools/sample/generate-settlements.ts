import { DAY, dateText, dayCode } from './calendar';
import type { Haulage } from './generate-tickets';
import type { Placement } from './place-grain';
import { quotePrice } from './quote-price';
import { Random } from './random';
import type { SoldGrain } from './paid-line';
import { settlementSheet, type SampleSettlement } from './settlement-sheet';

const LINES_A_SHEET = 40;

/**
 * Pays priced grain, one account and commodity a sheet, and writes the sheet's id into the applications it pays.
 * @returns so many settlements in order of date, or fewer when there is less priced grain than that.
 */
export function generateSettlements(seed: number, deliveries: Haulage[], count: number): SampleSettlement[] {
  const random = new Random(`${seed}/settlements`);
  const numbers = new Map<string, number>();
  return batches(soldGrain(seed, deliveries), count).map((grain) => {
    const settledAt = Math.max(...grain.map(({ at }) => at)) + random.integer(2, 7) * DAY;
    const day = dayCode(settledAt);
    const number = (numbers.get(day) ?? 0) + 1;
    numbers.set(day, number);
    const id = `S-${day}-${String(number).padStart(4, '0')}`;
    for (const { placement } of grain) markSettled(placement, id);
    return settlementSheet(random, id, settledAt, grain);
  });
}

function markSettled({ application, contract, units }: Placement, settlementId: string): void {
  application.settlement_id = settlementId;
  if (contract) contract.settled += units;
}

/** Sheets of about equal length, as many as wanted, none longer than 40 lines. */
function batches(sold: SoldGrain[], count: number): SoldGrain[][] {
  if (count === 0 || sold.length === 0) return [];
  const lines = Math.min(LINES_A_SHEET, Math.max(1, Math.floor(sold.length / count)));
  const open = new Map<string, SoldGrain[]>();
  const sheets: SoldGrain[][] = [];
  for (const grain of sold) {
    const payee = `${grain.placement.accountId}/${grain.haul.commodity.name}/${grain.haul.cropYear}`;
    const sheet = open.get(payee);
    if (sheet && sheet.length < lines) {
      sheet.push(grain);
    } else {
      const started = [grain];
      open.set(payee, started);
      sheets.push(started);
    }
  }
  return sheets.slice(0, count);
}

function soldGrain(seed: number, deliveries: Haulage[]): SoldGrain[] {
  return deliveries.flatMap(({ ticket, haul, load, placements }) =>
    placements
      .filter(({ disposition }) => disposition === 'priced')
      .map((placement) => ({
        ticketId: ticket.id,
        at: Date.parse(ticket.weigh_out_at),
        haul,
        grading: load.grading,
        placement,
        price: placement.contract?.quote.cash ?? priceOfDay(seed, haul),
      })),
  );
}

/** All that is sold of a commodity on one day has one price. */
function priceOfDay(seed: number, { commodity, date }: Haulage['haul']): number {
  return quotePrice(new Random(`${seed}/${commodity.name}/${dateText(date)}`), commodity).cash;
}
