import { contractRecord, type SampleContract } from './generate-contracts';
import type { SampleAccount } from './generate-accounts';
import { generateSettlements } from './generate-settlements';
import { deliveries } from './generate-tickets';
import { planCompany, type CompanyOptions } from './plan-company';
import type { SampleTicket } from './scale-ticket';
import type { SampleSettlement } from './settlement-sheet';
import type { SpecElevator } from './spec-elevator';

export interface SampleCompany {
  elevators: SpecElevator[];
  accounts: SampleAccount[];
  contracts: SampleContract[];
  tickets: SampleTicket[];
  settlements: SampleSettlement[];
}

/** One grain company's records, in the shape an ERP pushes (records.md); the same seed and counts make the same ones. */
export function generateCompany(options: CompanyOptions): SampleCompany {
  const plan = planCompany(options);
  const delivered = [...deliveries(plan)];
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
