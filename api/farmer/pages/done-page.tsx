import type { VNode } from 'preact';
import type { SavedChoices } from '../../../store/sessions/farmer-sessions';
import type { ListedAccount } from '../list-accounts';
import { PATHS, SEEN_RECEIPT, SHARING, STAYING } from '../paths';
import { Layout, type FarmerPageContext } from './layout';

export function donePage(props: {
  context: FarmerPageContext;
  customer: string;
  saved: SavedChoices;
  shared: ListedAccount[];
  /** Unless the farmer stays. */
  goesOnAfterS: number | undefined;
}): VNode {
  const { context, customer, saved, shared, goesOnAfterS } = props;
  const t = context.texts.done;
  const title = saved.status === 'saved' ? t.saved : t.unchanged;
  return (
    <Layout context={context} title={title}>
      <h1>{title}</h1>
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
      <h2>{t.next}</h2>
      <p>{shared.length > 0 ? t.nextStart(customer) : t.nextStop(customer, context.texts.sharing.title)}</p>
      <div class="buttons">
        <a class="button main" href={PATHS.leave}>
          {t.continue(customer)}
        </a>
      </div>
      <p>
        <a class="plain" href={SEEN_RECEIPT}>
          {t.see}
        </a>
        <br />
        <a class="plain" href={PATHS.receipt}>
          {t.download}
        </a>
        <br />
        <a class="plain" href={PATHS.accounts}>
          {t.change}
        </a>
        <br />
        <a class="plain" href={SHARING.entry}>
          {context.texts.sharing.title}
        </a>
      </p>
    </Layout>
  );
}

/** Another tap started the save, which has not finished. */
export function savingPage({ context }: { context: FarmerPageContext }): VNode {
  const t = context.texts.done;
  return (
    <Layout context={context} title={t.saving}>
      <h1>{t.saving}</h1>
      <p>{t.savingHelp}</p>
      <p>
        <a class="plain" href={PATHS.done}>
          {t.look}
        </a>
      </p>
    </Layout>
  );
}
