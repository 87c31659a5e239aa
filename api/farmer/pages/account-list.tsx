import type { VNode } from 'preact';
import type { ListedAccount } from '../list-accounts';

/** Accounts by name, each with what `say` adds to it. */
export function AccountList<A extends ListedAccount>(props: {
  accounts: A[];
  say?: (account: A) => string;
}): VNode {
  const { accounts, say } = props;
  return (
    <ul>
      {accounts.map((account) => (
        <li key={account.id}>
          {account.name}{' '}
          <small>
            {account.company.name} · {account.remote_id}
          </small>
          {say && <br />}
          {say?.(account)}
        </li>
      ))}
    </ul>
  );
}
