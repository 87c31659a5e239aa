import { ENTITY_TYPES, type EntityType } from '../../../domain/records/entity-types';
import type { DemoErp } from '../demo-erp';
import { printClosingTable } from '../print-closing-table';
import { runGdx } from '../run-gdx';
import type { DemoStage } from '../demo-stage';
import { tallyRecords, type Tallies } from '../tally-records';
import { chapter, say } from '../terminal';
import { check } from '../verdict';

/** 9: what was acknowledged against what the customer holds. */
export async function closeBooks(
  stage: DemoStage,
  erp: DemoErp,
  repeats: Partial<Record<EntityType, number>>,
): Promise<Tallies> {
  chapter(
    'The books are closed',
    'Every record the customer holds is compared, field by field, with what the ERP pushed last.',
  );
  const { customer } = stage;
  const { data } = await runGdx<{ data: { elevator: object }[] }>(stage, 'elevator', 'list');
  const { signatures, pages } = customer;
  const tallies = tallyRecords(erp, customer.records.report(), repeats);
  printClosingTable(tallies, { acknowledged: erp.changes.elevators, stored: data.length });
  say(`   signatures verified by the customer: ${signatures.verified} of ${pages.length} pages`);
  for (const type of ENTITY_TYPES) {
    const { acknowledged, repeats_expected, ...got } = tallies[type];
    check(type, got, { delivered: acknowledged, repeated: repeats_expected, missing: 0 });
  }
  check('stored elevators', data.length, erp.changes.elevators);
  check('signatures', signatures, { verified: pages.length, wrong: 0 });
  return tallies;
}
