import type { SampleAccount } from '../sample/generate-accounts';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { HeldRecord, CustomerReport } from './customer-records';
import type { DemoErp, Item } from './demo-erp';
import { isAsPushed } from './is-as-pushed';
import { DEMO_COMPANY } from './demo-stage';

// Written from the contract, like `isAsPushed`: an account's records are itself and those that name it, also in splits.

/** A farm and the same family's land trust, as the ERP has them. */
export function accountsOfOnePhone(erp: DemoErp): [SampleAccount, SampleAccount] {
  const accounts = [...erp.latest.accounts.values()] as SampleAccount[];
  const phoneOf = ({ phones }: SampleAccount) => phones[0]!.phone;
  for (const account of accounts) {
    const [first, second] = accounts.filter((one) => phoneOf(one) === phoneOf(account));
    if (first && second) return [first, second];
  }
  throw new Error('no two accounts of the sample have one phone');
}

/** The account's records of these types, as last pushed. */
export function recordsOfAccount(erp: DemoErp, account: string, types: EntityType[]): Item[] {
  return types.flatMap((type) =>
    [...erp.latest[type].values()]
      .filter(
        (record) => record.id === account || JSON.stringify(record).includes(`"account_id":"${account}"`),
      )
      .map((record): Item => [type, record]),
  );
}

/** Other accounts are not named: their splits and references are null. */
function withoutOthers(value: unknown, account: string, isItem = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutOthers(item, account, true));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const isOthers = ([key, inner]: [string, unknown]) =>
    key === 'account_id' && inner !== null && inner !== account;
  if (isItem && members.some(isOthers)) return null;
  return Object.fromEntries(
    members.map((member) => [member[0], isOthers(member) ? null : withoutOthers(member[1], account, false)]),
  );
}

/** The held records that do not name the account, and those that differ from the last push. */
export function compareWithAccount(held: CustomerReport['held'], erp: DemoErp, account: string) {
  const all = ENTITY_TYPES.flatMap((type) => held[type].map((record) => ({ type, record })));
  const id = `"id":"${DEMO_COMPANY.id}-${account}"`;
  const differs = (type: EntityType, record: HeldRecord) => {
    const pushed = erp.latest[type].get(record.remote_id);
    return !pushed || !isAsPushed(record, withoutOthers(pushed, account) as object, DEMO_COMPANY);
  };
  return {
    strangers: all.filter(({ record }) => !JSON.stringify(record).includes(id)).length,
    differing: all.filter(({ type, record }) => differs(type, record)).length,
  };
}
