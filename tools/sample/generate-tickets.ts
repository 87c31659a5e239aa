import { dayCode, MINUTE } from './calendar';
import { planCompany, type CompanyOptions, type CompanyPlan } from './plan-company';
import type { Haul } from './plan-hauls';
import { placeGrain, type ContractBook, type Placement } from './place-grain';
import { Random } from './random';
import { scaleTicket, type SampleTicket, type ShareOfLoad } from './scale-ticket';
import { weighLoad, type WeighedLoad } from './weigh-load';

/** A ticket with what its makers know and its record does not say. */
export interface Haulage {
  ticket: SampleTicket;
  haul: Haul;
  load: WeighedLoad;
  placements: Placement[];
}

interface Arrival {
  haul: Haul;
  weighedIn: number;
  weighedOut: number;
  loadNumber: number;
  ticketId: string;
}

const VOID_REASONS = ['Wrong account', 'Wrong commodity', 'Wrong split', 'Duplicate ticket'] as const;

/** The company's tickets one at a time, in the order of its scales: the same ones as `generateCompany` makes, unsettled. */
export function* generateTickets(options: CompanyOptions): Generator<SampleTicket> {
  for (const { ticket } of haulages(planCompany(options))) yield ticket;
}

/** A void ticket's load gets a new ticket next, which names the one it replaces. */
export function* haulages(plan: CompanyPlan): Generator<Haulage> {
  const random = new Random(`${plan.seed}/tickets`);
  const voided = new Map<Haul, { ticketId: string; load: WeighedLoad }>();
  for (const arrival of arrivals(random, plan.hauls)) {
    const { haul, ticketId } = arrival;
    const replaced = voided.get(haul);
    voided.delete(haul);
    const load = replaced?.load ?? weighLoad(random, haul);
    const spoiled = !replaced && arrival.loadNumber < haul.loads && random.chance(0.01);
    if (spoiled) voided.set(haul, { ticketId, load });
    const shares = shareOut(spoiled ? undefined : plan.book, arrival, load);
    const ticket = scaleTicket(random, {
      ...arrival,
      load,
      shares,
      ...(spoiled && { voidReason: random.pick(VOID_REASONS) }),
      ...(replaced && { replacesTicketId: replaced.ticketId }),
    });
    yield { ticket, haul, load, placements: shares.flatMap(({ placements }) => placements) };
  }
}

/** Each owner's units; the last owner has what rounding leaves. A void ticket (no book) places nothing. */
function shareOut(
  book: ContractBook | undefined,
  { haul, weighedOut }: Arrival,
  { grading }: WeighedLoad,
): ShareOfLoad[] {
  let left = grading.netUnits;
  return haul.farm.owners.map(({ accountId, percent }, index, owners) => {
    const units = index === owners.length - 1 ? left : Math.round((grading.netUnits * percent) / 10_000);
    left -= units;
    const placements = book ? placeGrain(book, haul, accountId, units, weighedOut) : [];
    return { accountId, percent, units, placements };
  });
}

/** Trucks come from 13:00 to 23:00 UTC, the scale's daytime; all farms' loads of a day are numbered as they come. */
function* arrivals(random: Random, hauls: Haul[]): Generator<Arrival> {
  for (let start = 0, end = 0; start < hauls.length; start = end) {
    const { date } = hauls[start]!;
    while (hauls[end]?.date === date) end++;
    const day = hauls.slice(start, end).flatMap((haul) => loadsOfDay(random, haul));
    day.sort((one, other) => one.weighedIn - other.weighedIn);
    for (const [index, load] of day.entries()) {
      yield { ...load, ticketId: `T-${dayCode(date)}-${String(index + 1).padStart(4, '0')}` };
    }
  }
}

function loadsOfDay(random: Random, haul: Haul): Omit<Arrival, 'ticketId'>[] {
  const spacing = (10 * 60 * MINUTE) / haul.loads;
  return Array.from({ length: haul.loads }, (_, index) => {
    const weighedIn = wholeSecond(haul.date + 13 * 60 * MINUTE + (index + random.fraction()) * spacing);
    const weighedOut = wholeSecond(weighedIn + (4 + 11 * random.fraction()) * MINUTE);
    return { haul, weighedIn, weighedOut, loadNumber: index + 1 };
  });
}

function wholeSecond(instant: number): number {
  return Math.floor(instant / 1000) * 1000;
}
