import type { Store } from '../../store/store';
import { records } from '../../store/records/records';
import { setPassedFields } from '../../store/sharing/passed-fields';
import { pushRecords } from '../setup/push-records';
import { ACCOUNTS, type PushedVersion, TYPES } from './share-acts';

/** The version of what is there before anything is shared. */
export const EARLIEST = 9;

/** Which accounts a record is of, for those who read it at the customer: `v3 of c1-1001,c1-1002`. */
const noteOf = (version: number, accounts: string[]) => `v${version} of ${accounts.join()}`;
export const accountsIn = (note: unknown) => String(note).split(' of ')[1]!.split(',');

const DECLARED_AT_TIMES = ['tickets.declared'];
const UNDECLARED = 'only in fields that nobody declares';

/** Fields that no schema knows, each naming accounts where the service does not see it. */
const ownFields = (of: string[]) => ({
  landlord_account_id: `${of[0]} ${UNDECLARED}`,
  accounts: [...of, UNDECLARED],
  landlord: { name: UNDECLARED, of },
});

/** Whether a record has what only fields hold that nobody declares. */
export const hasUndeclared = (record: object) => JSON.stringify(record).includes(UNDECLARED);

/** The company of one case: its positions have gaps from the companies of the other cases. */
export class ShareCompany {
  readonly id: string;
  readonly name = 'Prairie Co-op';
  private readonly erp: { _id: string; company: { id: string } };

  constructor(number: number) {
    this.id = `c${number}`;
    this.erp = { _id: `erp-${number}`, company: this };
  }

  /** The field `declared` of tickets, at times. */
  async declare(store: Store, on: boolean): Promise<void> {
    const [add, remove] = on ? [DECLARED_AT_TIMES, []] : [[], DECLARED_AT_TIMES];
    await setPassedFields(store, this.erp, { add, remove });
  }

  readonly recordId = (remoteId: string) => `${this.id}-${remoteId}`;

  /** Records of every account, split ones too. */
  async pushAll(store: Store): Promise<void> {
    await setPassedFields(store, this.erp, { add: TYPES.map((type) => `${type}.note`), remove: [] });
    const owners = [['1001'], ['1002'], ['1001', '1002'], ['1001', '1003']];
    const all = owners.flatMap((of, id) => TYPES.map((type) => ({ type, id, of, note: EARLIEST })));
    await this.push(store, all);
  }

  async push(store: Store, versions: PushedVersion[]): Promise<void> {
    const list = (wanted: string) => versions.filter(({ type }) => type === wanted);
    const accounts = list('accounts').map(({ id, note }) => {
      const account = ACCOUNTS[id % ACCOUNTS.length]!;
      const phones = [{ phone: '7015550142', ...ownFields([account]) }];
      const named = noteOf(note, [this.recordId(account)]);
      return { id: account, name: 'Meyer Farms', phones, note: named, ...ownFields(ACCOUNTS) };
    });
    const tickets = list('tickets').map(({ id, of, note }) => ({
      id: `T${id}`,
      ...(of.length === 1
        ? { account_id: of[0] }
        : {
            splits: of.map((account_id) => ({
              account_id,
              split_percent: 100 / of.length,
              ...ownFields(of),
            })),
          }),
      note: noteOf(note, of.map(this.recordId)),
      declared: 'at times',
      ...ownFields(of),
    }));
    await pushRecords(store, { accounts, tickets }, this);
  }

  /** When the record was changed that so many have been changed after, and all that were changed since. */
  async changedSince(store: Store, type: (typeof TYPES)[number], back: number) {
    const known = await records(store, type).find({ company_id: this.id }).sort({ position: -1 }).toArray();
    const timestamp = known[back]?.updated_at ?? new Date(0);
    const ids = known.filter(({ updated_at }) => updated_at >= timestamp).map(({ _id }) => _id);
    return { timestamp, ids };
  }
}
