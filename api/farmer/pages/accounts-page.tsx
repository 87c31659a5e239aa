import type { VNode } from 'preact';
import type { ListedAccount } from '../list-accounts';
import { PATHS } from '../paths';
import { ErrorSummary, FieldMessage, type FieldError } from './errors';
import { Layout, type Frame } from './layout';
import { WaysOut } from './ways-out';

export interface AccountsView {
  frame: Frame;
  customer: string;
  /** Those shown: found by the search, and no more than a page takes. */
  accounts: ListedAccount[];
  total: number;
  ticked: ReadonlySet<string>;
  searchable: boolean;
  search: string;
  error?: FieldError | undefined;
}

export function accountsPage(view: AccountsView): VNode {
  const { frame, customer, accounts, ticked, error } = view;
  const t = frame.texts.accounts;
  return (
    <Layout frame={frame} title={t.title} error={!!error}>
      <ErrorSummary texts={frame.texts} error={error} />
      <h1>{t.title}</h1>
      <p>{t.with(customer)}</p>
      {view.searchable && <Search {...view} />}
      <fieldset class={error && 'bad'} aria-describedby={error && 'account-error'}>
        <legend class="hidden">{t.legend}</legend>
        <FieldMessage error={error} />
        {accounts.map((account, index) => (
          <label class="row" key={account.id}>
            <input
              type="checkbox"
              name="account"
              value={account.id}
              checked={ticked.has(account.id)}
              {...(index === 0 && { id: 'account' })}
            />
            <span>
              <b>{account.name}</b>
              <small>
                {account.company.name} · {t.number(account.remote_id)}
              </small>
              {account.oldPhone && <small>{t.oldPhone(account.oldPhone)}</small>}
              {account.otherPhone && <small>{t.otherPhone(account.otherPhone)}</small>}
            </span>
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <button class="main" name="do" value="continue">
          {frame.texts.continue}
        </button>
      </div>
      <p>
        <a class="plain" href={PATHS.cancelled}>
          {frame.texts.leave(customer)}
        </a>
      </p>
    </Layout>
  );
}

/** Works without JavaScript: each button brings the page back with what was ticked. */
function Search({ frame, accounts, total, ticked, search }: AccountsView): VNode {
  const t = frame.texts.accounts;
  return (
    <div class="box">
      <label for="search">{t.search}</label>
      <input id="search" name="search" type="search" maxLength={80} value={search} />
      <input type="hidden" name="searched" value={search} />
      <div class="buttons">
        <button class="second" name="do" value="search">
          {t.searchButton}
        </button>
        {search !== '' && (
          <button class="second" name="do" value="show-all">
            {t.showAll}
          </button>
        )}
        {accounts.length > 0 && (
          <>
            <button class="second" name="do" value="tick">
              {t.all}
            </button>
            <button class="second" name="do" value="untick">
              {t.none}
            </button>
          </>
        )}
      </div>
      <p role="status">
        {accounts.length === 0 ? t.noMatch : `${t.found(accounts.length, total)}. ${t.chosen(ticked.size)}.`}
      </p>
    </div>
  );
}

/** The number is proven, and nobody has it. */
export function noAccountsPage(props: { frame: Frame; customer: string; phoneEnding: string }): VNode {
  const { frame, customer, phoneEnding } = props;
  const t = frame.texts.accounts;
  return (
    <Layout frame={frame} title={t.emptyTitle}>
      <h1>{t.emptyTitle}</h1>
      <p>{t.empty(phoneEnding)}</p>
      <p>{t.emptyHelp}</p>
      <WaysOut
        back={{ href: PATHS.phone, text: frame.texts.code.otherPhone }}
        frame={frame}
        customer={customer}
      />
    </Layout>
  );
}
