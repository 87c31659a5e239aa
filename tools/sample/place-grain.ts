import { addTo } from '../../domain/records/add-to';
import { instantText } from './calendar';
import type { Disposition } from './dispositions';
import { fromHundredths } from './fixed-point';
import type { PlannedContract } from './plan-contracts';
import type { Haul } from './plan-hauls';

/** One entry of a ticket's `applications[]`; the settlement that pays it writes its id in. */
export interface Application {
  contract_id?: string;
  settlement_id?: string;
  units: number;
  applied_at: string;
}

/** Units, in hundredths, of one owner's share that went one way; no contract means sold at the price of the day. */
export interface Placement {
  accountId: string;
  contract?: PlannedContract;
  disposition: Disposition;
  units: number;
  application: Application;
}

/** Finds the contracts that take an account's grain. */
export class ContractBook {
  private readonly byTaker = new Map<string, PlannedContract[]>();

  constructor(contracts: PlannedContract[]) {
    for (const contract of contracts) {
      addTo(this.byTaker, takerKey(contract.farm.account.id, contract), contract);
    }
  }

  withRoom(accountId: string, haul: Haul): PlannedContract[] {
    const contracts = this.byTaker.get(takerKey(accountId, haul)) ?? [];
    return contracts.filter(({ applied, quantity }) => applied < quantity);
  }
}

function takerKey(accountId: string, { commodity, cropYear }: Pick<Haul, 'commodity' | 'cropYear'>): string {
  return `${accountId}/${commodity.name}/${cropYear}`;
}

/** Fills the owner's contracts first; the rest is sold if that is the day's rule, else it stays unapplied. */
export function placeGrain(
  book: ContractBook,
  haul: Haul,
  accountId: string,
  units: number,
  at: number,
): Placement[] {
  const placements: Placement[] = [];
  let left = units;
  for (const contract of book.withRoom(accountId, haul)) {
    if (left === 0) break;
    const taken = Math.min(left, contract.quantity - contract.applied);
    contract.applied += taken;
    contract.lastChange = at;
    left -= taken;
    placements.push({
      accountId,
      contract,
      disposition: contract.type,
      units: taken,
      application: application(taken, at, contract),
    });
  }
  if (left > 0 && haul.fallback === 'priced') {
    placements.push({ accountId, disposition: 'priced', units: left, application: application(left, at) });
  }
  return placements;
}

function application(units: number, at: number, contract?: PlannedContract): Application {
  return {
    ...(contract && { contract_id: contract.id }),
    units: fromHundredths(units),
    applied_at: instantText(at),
  };
}
