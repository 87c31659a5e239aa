import type { VNode } from 'preact';
import type { SavedChoices } from '../../../store/sessions/farmer-sessions';
import type { ListedAccount } from '../list-accounts';
import { PATHS, SEEN_RECEIPT, SHARING, STAYING } from '../paths';
import type { Texts } from '../texts/en';
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
      <p>{nextOf(context.texts, props)}</p>
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

/** Says what the customer gets from now on: for grants that have begun, or for all that continue. */
function nextOf(
  { done: t, sharing }: Texts,
  { customer, saved, shared }: Parameters<typeof donePage>[0],
): string {
  if (shared.length === 0) return t.nextStop(customer, sharing.title);
  return saved.begun ? t.nextStart(customer, saved.begun === 'earlier too') : t.nextSame(customer);
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
