import type { TObject, TSchema } from '@sinclair/typebox';
import { COMMANDS, type RecordType } from '../commands';
import { parseInstant } from '../../time/instants';
import type { MisspeltFields } from '../misspelt-fields';
import { type RecordWarning, recordWarnings, sayWarning } from '../record-warnings';
import { isLoad, namesField } from '../production-record';
import { phonesOf } from '../render-record';
import { UNITS } from '../schemas/units';
import { DAY_MS } from '../../time/spans';

type Fields = Readonly<Record<string, unknown>>;

/** The state of the record that a reference names. */
export type ReferredState = 'missing' | 'deleted' | 'live';

/** A stored record that is not deleted, as the feed shows it, with the records that it refers to. */
export interface CheckedRecord {
  readonly type: RecordType;
  readonly record: Fields;
  readonly referred: Readonly<Record<'account' | 'contract' | 'elevator', readonly ReferredState[]>>;
  readonly now: number;
}

/** One kind of mistake in a company's data: its consequence, who notices it, and its remedy. */
export interface Finding {
  readonly name: string;
  readonly says: string;
  readonly follows: string;
  readonly mend: string;
  /**
   * Tells whether one record has it; a text stands beside the record's id. Left out for findings that need several records,
   * or none.
   */
  readonly isIn?: (
    checked: CheckedRecord,
    warnings: readonly RecordWarning[],
  ) => boolean | string | undefined;
}

const NETS = ['net_weight', 'net_units', 'net_amount'];
const MISSES = {
  follows: 'customers get a reference that leads nowhere',
  mend: 'push what is missing, or correct the id: a blank, a leading zero or another location makes it another id',
};

/** All findings, in the order of the report. */
export const FINDINGS = [
  {
    name: 'account_missing',
    says: 'name an account that was never pushed',
    follows: 'no farmer can share the record, and no customer of farmers gets it',
    mend: MISSES.mend,
    isIn: ({ referred }) => referred.account.includes('missing'),
  },
  {
    name: 'contract_missing',
    says: 'name a contract that was never pushed',
    ...MISSES,
    isIn: ({ referred }) => referred.contract.includes('missing'),
  },
  {
    name: 'elevator_missing',
    says: 'name an elevator that was never pushed',
    ...MISSES,
    isIn: ({ referred }) => referred.elevator.includes('missing'),
  },
  {
    name: 'account_deleted',
    says: 'belong to an account that is deleted',
    follows: 'its farmer is not offered the account any more, and cannot share the record',
    mend: 'delete the record too, or push the account without deleted_at',
    isIn: ({ referred }) => referred.account.includes('deleted'),
  },
  {
    name: 'account_without_phone',
    says: 'have no phone of ten digits, or eleven with a leading 1',
    follows: 'nobody can share the account: the farmer’s page finds it by its phone',
    mend: 'enter the farmer’s phone in the ERP, and push the account',
    isIn: ({ type, record }) => type === 'accounts' && phonesOf(record['phones']).length === 0,
  },
  {
    name: 'phone_on_many_accounts',
    says: 'carry one phone on more than 25 accounts; one of each is named',
    follows: 'where they are of more than 25 names, nobody can share any of them',
    mend: 'take the number off the accounts whose farmer it does not reach: often it is the office’s',
  },
  {
    name: 'ticket_without_account',
    says: 'name no account',
    follows: 'no farmer can share the ticket',
    mend: 'send account_id, or an account_id in each of the splits',
    isIn: ({ type, referred }) => type === 'tickets' && referred.account.length === 0,
  },
  {
    name: 'ticket_without_field',
    says: 'name no field',
    follows: 'a claim cannot assign the load: the production record lists it as not assigned',
    mend: 'send fsa_field_number with the farm and the tract, or field_id or field_name',
    isIn: ({ type, record }) => type === 'tickets' && isLoad(record) && !namesField(record),
  },
  {
    name: 'splits_not_100',
    says: 'have splits that do not add to 100 percent',
    follows: 'insurers count too much or too little for an owner',
    mend: 'send every share of the ticket, and its percent with all its digits',
    isIn: (_, warnings) => warnings.some(({ field }) => field === 'splits'),
  },
  {
    name: 'ticket_number_twice',
    says: 'have the ticket number of another ticket at the same elevator; void ones do not count',
    follows: 'a load is counted twice',
    mend: 'delete the one that is not right; give a ticket the same id at every push',
  },
  {
    name: 'unit_missing',
    says: 'have figures without their unit or currency',
    follows: 'customers guess it, or refuse the record',
    mend: 'send the unit’s field beside the figures (docs/records.md)',
    isIn: ({ type, record }) =>
      Object.entries(UNITS[type]).some(([unit, figures]) => lacks(record, unit, figures)),
  },
  {
    name: 'value_unknown',
    says: 'have a value that is not known',
    follows: 'customers who count by it leave the record out',
    mend: 'translate the ERP’s code into a known value (docs/records.md)',
    isIn: (_, warnings) => warnings.some(({ message }) => message.startsWith('is none of')),
  },
  {
    name: 'field_misspelt',
    says: 'have a field that no schema knows, and lack the one whose name is nearly the same',
    follows: 'customers do not find the value, and customers of farmers do not get it at all',
    mend: 'send it under the name that is asked about; leave a field of your own as it is',
    isIn: (_, warnings) => {
      const misspelt = warnings.find(({ message }) => message.startsWith('is not a field'));
      return misspelt && sayWarning(misspelt);
    },
  },
  {
    name: 'net_wrong',
    says: 'have a net that is not gross less tare, shrink and dockage, or not the sum of the lines',
    follows: 'insurers ask the grain company which figure holds',
    mend: 'send all figures of the record from one source, and negative deductions as negative',
    isIn: (_, warnings) => warnings.some(({ field }) => NETS.includes(field)),
  },
  {
    name: 'date_odd',
    says: 'have a date in the future or before 1990',
    follows: 'customers count the record to a wrong year, or leave it out',
    mend: 'leave out a date that the ERP has not: many write 1900-01-01 for none',
    isIn: ({ type, record, now }) => DATES.get(type)!.some((date) => isOdd(record, date, now)),
  },
  {
    name: 'silent',
    says: 'has pushed nothing for longer than is usual',
    follows: 'customers see what was true then',
    mend: 'see whether the ERP’s job runs, and what its last push was answered',
  },
] as const satisfies readonly Finding[];

export type FindingName = (typeof FINDINGS)[number]['name'];

/** The number of places with a finding, and the first ones by the ERP's own ids: `tickets T-1`, or `tickets T-1: ...`. */
export interface Met {
  count: number;
  examples: string[];
}

/** A finding in the report. */
export type ToldFinding = Met & Omit<Finding, 'isIn'>;

export const toldFindings = (met: ReadonlyMap<FindingName, Met>): ToldFinding[] =>
  FINDINGS.flatMap(({ name, says, follows, mend }) => {
    const found = met.get(name);
    return found ? [{ name, ...found, says, follows, mend }] : [];
  });

/** The findings in one record, by name, with what stands beside the record's id. */
export function findingsIn(
  checked: CheckedRecord,
  names: MisspeltFields,
): [name: FindingName, beside: string | undefined][] {
  const warnings = recordWarnings(checked.type, checked.record, names);
  const rows: readonly (Finding & { name: FindingName })[] = FINDINGS;
  return rows.flatMap(({ name, isIn }) => {
    const found = isIn?.(checked, warnings);
    return found ? [[name, found === true ? undefined : found]] : [];
  });
}

/** The values of `field` or `list.field`. */
function valuesAt(record: Fields, path: string): unknown[] {
  const [list, field] = path.split('.') as [string, string?];
  if (field === undefined) return [record[list]];
  const items = record[list];
  return Array.isArray(items) ? (items as Fields[]).map((item) => item?.[field]) : [];
}

const lacks = (record: Fields, unit: string, figures: readonly string[]) =>
  record[unit] == null && figures.some((figure) => valuesAt(record, figure).some((value) => value != null));

// Planned dates, which may lie in the future.
const MAY_COME = ['expires_on', 'delivery_start', 'delivery_end'];
// The service makes `updated_at`. Only deleted records have `deleted_at`, and they are not checked.
const NOT_THE_ERPS = ['updated_at', 'deleted_at'];
const EARLIEST = Date.UTC(1990, 0, 1);

/** The paths of the dates in a record of each type and in the items of its lists. */
const DATES = new Map(COMMANDS.map(({ recordType, schema }) => [recordType, datesOf(schema)]));

function datesOf(schema: TObject, within = ''): string[] {
  return Object.entries<TSchema>(schema.properties).flatMap(([key, { format, items }]) => {
    if (items) return datesOf(items as TObject, `${key}.`);
    return String(format).startsWith('date') && !NOT_THE_ERPS.includes(key) ? [within + key] : [];
  });
}

/** One day ahead is allowed: it may be today in another time zone. */
const isOdd = (record: Fields, path: string, now: number) =>
  valuesAt(record, path).some((value) => {
    if (typeof value !== 'string') return false;
    const at = parseInstant(value.length === 10 ? `${value}T00:00:00Z` : value) ?? now;
    return at < EARLIEST || (at > now + DAY_MS && !MAY_COME.some((field) => path.endsWith(field)));
  });
