import { type EntityType } from '../domain/entity-types';
import { isAsPushed } from './is-as-pushed';
import type { Report } from './customer-messages';
import type { Erp } from './erp';
import type { Tally } from './numbers';
import { perType } from './per-type';
import { COMPANY } from './stage';

/** What was acknowledged against what the customer holds, field by field. */
export function tallyRecords(erp: Erp, report: Report, repeats: Partial<Record<EntityType, number>>) {
  return perType((type): Tally => {
    const held = new Map(report.held[type].map((record) => [record.remote_id, record]));
    const missing = [...erp.latest[type]].filter(([id, pushed]) => {
      const record = held.get(id);
      return !record || !isAsPushed(record, pushed, COMPANY);
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
