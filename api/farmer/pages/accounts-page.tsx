import type { VNode } from 'preact';
import type { ListedAccount } from '../list-accounts';
import { PATHS } from '../paths';
import { FieldMessage, type FieldError } from './errors';
import { Layout, type FarmerPageContext } from './layout';
import { Links, WaysOut } from './ways-out';

interface AccountsView {
  context: FarmerPageContext;
  customer: string;
  /** The accounts on this page, after the search and the page limit. */
  accounts: ListedAccount[];
  total: number;
  ticked: ReadonlySet<string>;
  searchable: boolean;
  search: string;
  /** Whether earlier records are shared as well; undefined where this cannot be chosen. */
  earlier: boolean | undefined;
  /** The last day: the chosen one, whether one is required, and the first and last day allowed. */
  end: { on: string; required: boolean; first: string; last: string };
  /** The last digits of the phone, when too many names have it and so nothing can be shared with it. */
  crowded: string | undefined;
  error?: FieldError | undefined;
}

export function accountsPage(view: AccountsView): VNode {
  const { context, customer, accounts, ticked, crowded, error } = view;
  const t = context.texts.accounts;
  const ofAccounts = error?.field === 'account' ? error : undefined;
  return (
    <Layout context={context} title={t.title} error={error}>
      {crowded ? <Crowded context={context} ending={crowded} /> : <p>{t.with(customer)}</p>}
      {view.searchable && <Search {...view} />}
      <fieldset class={ofAccounts && 'bad'} aria-describedby={ofAccounts && 'account-error'}>
        <legend class="hidden">{t.legend}</legend>
        <FieldMessage error={ofAccounts} />
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
              {account.oldPhone && (
                <small>{(crowded ? t.crowded.shared : t.oldPhone)(account.oldPhone)}</small>
              )}
              {account.otherPhone && <small>{t.otherPhone(account.otherPhone)}</small>}
            </span>
          </label>
        ))}
      </fieldset>
      {view.earlier !== undefined && <Earlier context={context} earlier={view.earlier} />}
      <End {...view} />
      <div class="buttons">
        <button class="main" name="do" value="continue">
          {context.texts.continue}
        </button>
      </div>
      <Links to={[[PATHS.cancelled, context.texts.leave(customer)]]} />
    </Layout>
  );
}

function Earlier({ context, earlier }: { context: FarmerPageContext; earlier: boolean }): VNode {
  const t = context.texts.accounts.earlier;
  return (
    <fieldset aria-describedby="earlier-hint">
      <legend>{t.title}</legend>
      {(['yes', 'no'] as const).map((value) => (
        <label class="row" key={value}>
          <input type="radio" name="earlier" value={value} checked={earlier === (value === 'yes')} />
          <span>{t[value]}</span>
        </label>
      ))}
      <p class="hint soft" id="earlier-hint">
        {t.hint}
      </p>
    </fieldset>
  );
}

/** The field for the last day: the browser's calendar, or a text field in a browser without one. */
function End({ context, end, error }: AccountsView): VNode {
  const t = context.texts.accounts.end;
  const own = error?.field === 'ends_on' ? error : undefined;
  return (
    <div class={own && 'bad'}>
      <h2>
        <label for="ends_on">{end.required ? t.required : t.optional}</label>
      </h2>
      <p class="hint soft" id="ends_on-hint">
        {end.required ? '' : t.empty} {t.hint(end.last)}
      </p>
      <FieldMessage error={own} />
      <input
        id="ends_on"
        name="ends_on"
        type="date"
        min={end.first}
        max={end.last}
        value={end.on}
        required={end.required}
        aria-describedby={own ? 'ends_on-error ends_on-hint' : 'ends_on-hint'}
        aria-invalid={own ? true : undefined}
      />
    </div>
  );
}

/** The search field. It works without JavaScript: each button reloads the page with the current ticks. */
function Search({ context, accounts, total, ticked, search }: AccountsView): VNode {
  const t = context.texts.accounts;
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
              {t.all(accounts.length, total)}
            </button>
            <button class="second" name="do" value="untick">
              {t.none(accounts.length, total)}
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

function Crowded({ context, ending }: { context: FarmerPageContext; ending: string }): VNode {
  const t = context.texts.accounts.crowded;
  return (
    <>
      <p>
        {t.text(ending)} {t.noShare}
      </p>
      <p>{t.help}</p>
    </>
  );
}

/** The page for a verified number that no account lists, or that too many names have. */
export function noAccountsPage(props: {
  context: FarmerPageContext;
  customer: string;
  phoneEnding: string;
  crowded: boolean;
  /** The customer's link is for this phone alone. */
  signed: boolean;
}): VNode {
  const { context, customer, phoneEnding, crowded, signed } = props;
  const t = context.texts.accounts;
  const title = crowded ? t.crowded.title : t.emptyTitle;
  return (
    <Layout context={context} title={title}>
      {crowded ? (
        <Crowded context={context} ending={phoneEnding} />
      ) : (
        <>
          <p>{t.empty(customer, phoneEnding)}</p>
          <p>{t.emptyHelp}</p>
        </>
      )}
      <WaysOut
        back={signed ? undefined : [PATHS.phone, context.texts.code.otherPhone]}
        context={context}
        customer={customer}
      />
    </Layout>
  );
}
