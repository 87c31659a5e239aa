import type { VNode } from 'preact';
import type { SavedChoices } from '../../../store/sessions/farmer-sessions';
import type { ListedAccount } from '../list-accounts';
import { PATHS, SEEN_RECEIPT, SHARING, STAYING } from '../paths';
import { AccountList } from './account-list';
import { Layout, type FarmerPageContext } from './layout';
import { Links } from './ways-out';

export function donePage(props: {
  context: FarmerPageContext;
  customer: string;
  saved: SavedChoices;
  shared: ListedAccount[];
  /** Seconds until the page returns to the customer; undefined when the farmer stays. */
  goesOnAfterS: number | undefined;
}): VNode {
  const { context, customer, saved, shared, goesOnAfterS } = props;
  const t = context.texts.done;
  const title = saved.status === 'saved' ? t.saved : t.unchanged;
  return (
    <Layout context={context} title={title}>
      {saved.reference && (
        <p>
          {t.reference} <b>{saved.reference}</b>
        </p>
      )}
      {goesOnAfterS !== undefined && (
        <div class="box">
          <p>
            {t.goesOn(customer, goesOnAfterS)}
            <br />
            <a class="plain" href={STAYING}>
              {t.stay}
            </a>
          </p>
        </div>
      )}
      <p>{t.sharing(customer, shared.length)}</p>
      <ul>
        {shared.map(({ id, name, company }) => (
          <li key={id}>
            {name} <small>{company.name}</small>
          </li>
        ))}
      </ul>
      {saved.stopped.length > 0 && <p>{t.stopped(saved.stopped, saved.stopped_others)}</p>}
      <h2>{t.next}</h2>
      <Next {...props} />
      <div class="buttons">
        <a class="button main" href={PATHS.leave}>
          {t.continue(customer)}
        </a>
      </div>
      <Links
        to={[
          [SEEN_RECEIPT, t.see],
          [PATHS.receipt, t.download],
          [PATHS.accounts, t.change],
          [SHARING.entry, context.texts.sharing.title],
        ]}
      />
    </Layout>
  );
}

/** Says what the customer gets from now on: of each account where grants have begun, or that all continues. */
function Next({ context: { texts }, customer, saved, shared }: Parameters<typeof donePage>[0]): VNode {
  const { done: t, check, sharing } = texts;
  if (shared.length === 0) return <p>{t.nextStop(customer, sharing.title)}</p>;
  if (!saved.begun) return <p>{t.nextSame(customer)}</p>;
  const late = shared.flatMap((account) =>
    account.newSince ? [{ ...account, from: account.newSince }] : [],
  );
  if (late.length === shared.length) return <p>{t.nextOnlyNew(customer)}</p>;
  return (
    <>
      <p>{t.nextEarlierToo(customer)}</p>
      {late.length > 0 && (
        <>
          <p>{check.onlyNewOf}</p>
          <AccountList accounts={late} say={({ from }) => check.since(from)} />
        </>
      )}
    </>
  );
}

/** The page for a second tap while the first one is still saving. */
export function savingPage({ context }: { context: FarmerPageContext }): VNode {
  const t = context.texts.done;
  return (
    <Layout context={context} title={t.saving}>
      <p>{t.savingHelp}</p>
      <Links to={[[PATHS.done, t.look]]} />
    </Layout>
  );
}
