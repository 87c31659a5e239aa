import { type EntityType } from '../../domain/records/entity-types';
import { isAsPushed } from './is-as-pushed';
import type { CustomerReport } from './customer-records';
import type { DemoErp } from './demo-erp';
import { perType } from './per-type';
import { DEMO_COMPANY } from './demo-stage';

/** One row of the closing table. A change is one record at one content. */
interface Tally {
  /** Changes that the service answered with 204. */
  acknowledged: number;
  /** Changes that the customer received for the first time. */
  delivered: number;
  /** Changes that it received again, and how many of those the reset is to cause. */
  repeated: number;
  repeats_expected: number;
  /** Records that it does not hold as they were last acknowledged, compared field by field. */
  missing: number;
}

export type Tallies = Record<EntityType, Tally>;

/** What was acknowledged against what the customer holds, field by field. */
export function tallyRecords(
  erp: DemoErp,
  report: CustomerReport,
  repeats: Partial<Record<EntityType, number>>,
): Tallies {
  return perType((type) => {
    const held = new Map(report.held[type].map((record) => [record.remote_id, record]));
    const missing = [...erp.latest[type]].filter(([id, pushed]) => {
      const record = held.get(id);
      return !record || !isAsPushed(record, pushed, DEMO_COMPANY);
    });
    return {
      acknowledged: erp.changes[type],
      delivered: report.delivered[type],
      repeated: report.repeated[type],
      repeats_expected: repeats[type] ?? 0,
      missing: missing.length,
    };
  });
}
