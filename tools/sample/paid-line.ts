import type { Grading } from './grade-load';
import type { Haul } from './plan-hauls';
import type { Placement } from './place-grain';

/** Priced grain of one ticket: `placement.units` of it, at `price` ten-thousandths of a dollar a bushel. */
export interface SoldGrain {
  ticketId: string;
  at: number;
  haul: Haul;
  grading: Grading;
  placement: Placement;
  price: number;
}

/** What one line pays, in hundredths of a bushel and cents. */
export interface PaidLine {
  grain: SoldGrain;
  shrink: number;
  dockage: number;
  gross: number;
  cents: number;
}

/** One owner's part of a ticket has its part of the ticket's shrink and dockage. */
export function paidLine(grain: SoldGrain): PaidLine {
  const { units } = grain.placement;
  const part = units / grain.grading.netUnits;
  const shrink = Math.round(grain.grading.shrinkUnits * part);
  const dockage = Math.round(grain.grading.dockageUnits * part);
  return {
    grain,
    shrink,
    dockage,
    gross: units + shrink + dockage,
    cents: Math.round((units * grain.price) / 10_000),
  };
}
