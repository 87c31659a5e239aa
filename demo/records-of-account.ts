import type { SampleAccount } from '../sample/generate-accounts';
import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import type { HeldRecord, Report } from './customer-messages';
import type { Erp, Item } from './erp';
import { isAsPushed } from './is-as-pushed';
import { COMPANY } from './stage';

// By the contract alone, as `isAsPushed`: an account's records are itself and what names it, splits too.

/** A farm and the same family's land trust, as the ERP has them. */
export function accountsOfOnePhone(erp: Erp): [SampleAccount, SampleAccount] {
  const accounts = [...erp.latest.accounts.values()] as SampleAccount[];
  const phoneOf = ({ phones }: SampleAccount) => phones[0]!.phone;
  for (const account of accounts) {
    const [first, second] = accounts.filter((one) => phoneOf(one) === phoneOf(account));
    if (first && second) return [first, second];
  }
  throw new Error('no two accounts of the sample have one phone');
}

/** Of these entity types, as the ERP has pushed them last. */
export function recordsOfAccount(erp: Erp, account: string, types: EntityType[]): Item[] {
  return types.flatMap((type) =>
    [...erp.latest[type].values()]
      .filter(
        (record) => record.id === account || JSON.stringify(record).includes(`"account_id":"${account}"`),
      )
      .map((record): Item => [type, record]),
  );
}

/** Of what a customer holds: what does not name the account, and what is not as the ERP has pushed it last. */
export function compareWithAccount(held: Report['held'], erp: Erp, account: string) {
  const all = ENTITY_TYPES.flatMap((type) => held[type].map((record) => ({ type, record })));
  const id = `"id":"${COMPANY.id}-${account}"`;
  const differs = (type: EntityType, record: HeldRecord) => {
    const pushed = erp.latest[type].get(record.remote_id);
    return !pushed || !isAsPushed(record, pushed, COMPANY);
  };
  return {
    strangers: all.filter(({ record }) => !JSON.stringify(record).includes(id)).length,
    differing: all.filter(({ type, record }) => differs(type, record)).length,
  };
}
