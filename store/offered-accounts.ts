import type { Channel } from './channels';
import type { Store } from './connect';
import { records } from './records';

/** An account as the farmer's page shows it. */
export interface OfferedAccount {
  id: string;
  remote_id: string;
  name: string;
  company: { id: string; name: string };
}

/** The accounts that carry the verified phone and that the channel may get, alphabetical (farmer page). */
export async function offeredAccounts(
  store: Store,
  channel: Channel,
  phone: string,
): Promise<OfferedAccount[]> {
  const found = await records(store, 'accounts')
    .find({ phones: phone, deleted_at: null, ...ofCompanies(channel) }, { projection: { wire: 1 } })
    .toArray();
  return found.map(({ wire }) => shown(wire)).sort((a, b) => a.name.localeCompare(b.name));
}

/** The accounts of these ids, deleted ones too: what is shared stays visible until it is revoked. */
export async function accountsById(store: Store, ids: string[]): Promise<OfferedAccount[]> {
  const found = await records(store, 'accounts')
    .find({ _id: { $in: ids } }, { projection: { wire: 1 } })
    .toArray();
  return found.map(({ wire }) => shown(wire)).sort((a, b) => a.name.localeCompare(b.name));
}

const ofCompanies = ({ companies }: Channel) =>
  companies.length === 0 ? {} : { company_id: { $in: companies } };

function shown(wire: Buffer): OfferedAccount {
  const { account } = JSON.parse(wire.toString('utf8')) as { account: OfferedAccount };
  const { id, remote_id, name, company } = account;
  return { id, remote_id, name, company };
}
