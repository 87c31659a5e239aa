import type { Erp } from '../erp';
import type { Numbers } from '../numbers';
import { printClosingTable } from '../print-closing-table';
import { runGdx } from '../run-gdx';
import type { Stage } from '../stage';
import { tallyRecords } from '../tally-records';
import { chapter, say } from '../terminal';

type Closing = Pick<Numbers, 'elevators' | 'signatures' | 'entity_types'>;

/** 9: what was acknowledged against what the customer holds. */
export async function closeBooks(stage: Stage, erp: Erp, reset: Numbers['reset']): Promise<Closing> {
  chapter(
    'The books are closed',
    'Every record the customer holds is compared, field by field, with what the ERP pushed last.',
  );
  const { customer } = stage;
  const { data } = await runGdx<{ data: { elevator: object }[] }>(stage, 'elevator', 'list');
  const report = await customer.report();
  const { signatures } = report;
  const closing: Closing = {
    elevators: { acknowledged: erp.changes.elevators, stored: data.length },
    signatures: { ...signatures, pages: customer.pages.length },
    entity_types: tallyRecords(erp, report, { tickets: reset.expected }),
  };
  printClosingTable(closing);
  say(`   signatures verified by the customer: ${signatures.verified} of ${customer.pages.length} pages`);
  return closing;
}
