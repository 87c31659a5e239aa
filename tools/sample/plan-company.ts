import { generateAccounts, type SampleAccount } from './generate-accounts';
import { planContracts, type PlannedContract } from './plan-contracts';
import { generateElevators, type SampleElevator } from './generate-elevators';
import { planFarms } from './plan-farms';
import { planHauls, type Haul } from './plan-hauls';
import { ContractBook } from './place-grain';
import { Random } from './random';

export interface CompanyOptions {
  seed: number;
  accounts: number;
  tickets: number;
  /** Two an account when not said. */
  contracts?: number;
  /** One for every 20 tickets when not said; fewer than asked for when there is not that much priced grain to pay. */
  settlements?: number;
  /** Four when not said. */
  elevators?: number;
  /** 2026 when not said. More tickets than a harvest holds reach back into the years before. */
  cropYear?: number;
}

export interface CompanyPlan {
  seed: number;
  elevators: SampleElevator[];
  accounts: SampleAccount[];
  contracts: PlannedContract[];
  book: ContractBook;
  hauls: Haul[];
}

/** Everything but the tickets themselves. Each kind has its own chance, so more tickets leave the accounts as they were. */
export function planCompany(options: CompanyOptions): CompanyPlan {
  const { seed, tickets, cropYear = 2026 } = options;
  const chance = (kind: string) => new Random(`${seed}/${kind}`);
  const elevators = generateElevators(chance('elevators'), options.elevators ?? 4);
  const accounts = generateAccounts(chance('accounts'), options.accounts, cropYear);
  const farms = planFarms(chance('farms'), accounts, elevators);
  const contracts = planContracts(
    chance('contracts'),
    farms,
    options.contracts ?? 2 * accounts.length,
    cropYear,
  );
  const hauls = planHauls(chance('hauls'), farms, tickets, cropYear);
  return { seed, elevators, accounts, contracts, book: new ContractBook(contracts), hauls };
}
