import type { VNode } from 'preact';
import type { SavedChoices } from '../../../store/farmer-sessions';
import type { ListedAccount } from '../list-accounts';
import { PATHS, SEEN_RECEIPT } from '../paths';
import { Layout, type Frame } from './layout';

export function donePage(props: {
  frame: Frame;
  customer: string;
  saved: SavedChoices;
  shared: ListedAccount[];
  leaveUrl: string;
}): VNode {
  const { frame, customer, saved, shared, leaveUrl } = props;
  const t = frame.texts.done;
  const title = saved.status === 'saved' ? t.saved : t.unchanged;
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      {saved.reference && (
        <p>
          {t.reference} <b>{saved.reference}</b>
        </p>
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
      <p>{shared.length > 0 ? t.nextStart(customer) : t.nextStop(customer)}</p>
      <div class="buttons">
        <a class="button main" href={leaveUrl}>
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
      </p>
    </Layout>
  );
}

/** The save was taken by another tap and is not through yet. */
export function savingPage({ frame }: { frame: Frame }): VNode {
  const t = frame.texts.done;
  return (
    <Layout frame={frame} title={t.saving}>
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
