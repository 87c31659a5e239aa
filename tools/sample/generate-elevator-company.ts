import { contractRecord, type SampleContract } from './generate-contracts';
import type { SampleAccount } from './generate-accounts';
import { generateSettlements } from './generate-settlements';
import { haulages } from './generate-tickets';
import { planCompany, type CompanyOptions } from './plan-company';
import type { SampleTicket } from './scale-ticket';
import type { SampleSettlement } from './settlement-sheet';
import type { SampleElevator } from './generate-elevators';

export interface SampleCompany {
  elevators: SampleElevator[];
  accounts: SampleAccount[];
  contracts: SampleContract[];
  tickets: SampleTicket[];
  settlements: SampleSettlement[];
}

/** One grain company's records as an ERP pushes them (docs/erp.md), reproducible from seed and counts. */
export function generateCompany(options: CompanyOptions): SampleCompany {
  const plan = planCompany(options);
  const delivered = [...haulages(plan)];
  const wanted = options.settlements ?? Math.ceil(delivered.length / 20);
  const settlements = generateSettlements(plan.seed, delivered, wanted);
  return {
    elevators: plan.elevators,
    accounts: plan.accounts,
    contracts: plan.contracts.map(contractRecord),
    tickets: delivered.map(({ ticket }) => ticket),
    settlements,
  };
}
