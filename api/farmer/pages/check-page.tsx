import type { VNode } from 'preact';
import type { EntityType } from '../../../domain/entity-types';
import type { ListedAccount } from '../list-accounts';
import { PATHS } from '../paths';
import type { Plan } from '../plan-choices';
import type { Texts } from '../texts/en';
import { ErrorSummary } from './errors';
import { Layout, type FarmerPageContext } from './layout';
import { Reference } from './reference';
import { WaysOut } from './ways-out';

/** The consent text. Any change of wording requires a new CONSENT_TEXT_VERSION. */
export function checkPage(props: {
  context: FarmerPageContext;
  customer: string;
  displayName: string;
  partnerId: string;
  entityTypes: EntityType[];
  /** The customer collects, whenever it asks; otherwise it is sent something every `cadenceMs`. */
  collects: boolean;
  cadenceMs: number;
  plan: Plan;
  /** The address of "who sees my grain data". */
  sharingUrl: string;
  form: string;
  stale?: boolean;
}): VNode {
  const { context, customer, displayName, partnerId, plan, form, stale } = props;
  const t = context.texts.check;
  const { start, keep, moved, stop } = plan;
  const changes = start.length + stop.length + moved.length;
  const shares = start.length + keep.length > 0;
  return (
    <Layout context={context} title={t.title} error={!!stale}>
      <ErrorSummary
        texts={context.texts}
        error={stale ? { field: 'choices', message: t.stale } : undefined}
      />
      <h1>{t.title}</h1>
      <input type="hidden" name="form" value={form} />
      <h2>{t.who}</h2>
      <p>
        {customer}
        {displayName !== customer && (
          <>
            <br />
            <small>{t.called(displayName)}</small>
          </>
        )}
        <br />
        <small>
          {t.reference} <Reference of={partnerId} />
        </small>
      </p>
      <div id="choices">
        <Accounts title={t.start} accounts={start} />
        <Accounts title={t.keep} accounts={keep} />
        <Accounts title={t.stop} accounts={stop} />
      </div>
      {changes === 0 && <p>{t.sameHelp}</p>}
      {shares && <Terms {...props} />}
      {changes > 0 && <p>{t.kept}</p>}
      <div class="buttons">
        <button class="main" name="do" value="save">
          {buttonText(t, customer, plan)}
        </button>
      </div>
      <WaysOut back={{ href: PATHS.accounts, text: t.back }} context={context} customer={customer} />
    </Layout>
  );
}

function Accounts(props: { title: (count: number) => string; accounts: ListedAccount[] }): VNode | null {
  if (props.accounts.length === 0) return null;
  return (
    <>
      <h2>{props.title(props.accounts.length)}</h2>
      <ul>
        {props.accounts.map((account) => (
          <li key={account.id}>
            <Named account={account} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Named({ account: { name, company, remote_id } }: { account: ListedAccount }): VNode {
  return (
    <>
      {name}{' '}
      <small>
        {company.name} · {remote_id}
      </small>
    </>
  );
}

function Terms(props: {
  context: FarmerPageContext;
  customer: string;
  entityTypes: EntityType[];
  collects: boolean;
  cadenceMs: number;
  plan: Plan;
  sharingUrl: string;
}): VNode {
  const { texts } = props.context;
  const t = texts.check;
  return (
    <>
      <h2>{t.what}</h2>
      <ul>
        {props.entityTypes.map((type) => (
          <li key={type}>{texts.entityTypes[type]}</li>
        ))}
      </ul>
      {props.entityTypes.includes('tickets') && <p>{t.onTickets}</p>}
      <p>{t.ownFields}</p>
      {props.plan.start.length > 0 && <p>{t.earlier}</p>}
      <h2>{t.often}</h2>
      <p>{props.collects ? t.collected : t.every(props.cadenceMs)}</p>
      <h2>{t.until}</h2>
      <Until texts={texts} plan={props.plan} />
      <h2>{t.stopping}</h2>
      <p>{t.howToStop(props.customer, texts.sharing.title, props.sharingUrl)}</p>
    </>
  );
}

/** Accounts that are not offered may keep an earlier end. */
function Until({ texts, plan }: { texts: Texts; plan: Plan }): VNode {
  const t = texts.check;
  const { start, keep, unmoved, endsOn } = plan;
  return (
    <>
      {start.length + keep.length > unmoved.length && (
        <p>{endsOn === '' ? t.untilYouStop : t.untilDay(endsOn)}</p>
      )}
      {unmoved.length > 0 && (
        <>
          <p>{t.untilAsBefore}</p>
          <ul>
            {unmoved.map((account) => (
              <li key={account.id}>
                <Named account={account} />
                <br />
                {texts.receipt.until(account.endsOn ?? '')}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function buttonText(t: Texts['check'], customer: string, { start, keep, stop }: Plan): string {
  if (start.length > 0 && stop.length === 0) return t.agree(customer);
  if (start.length === 0 && keep.length === 0 && stop.length > 0) return t.disagree(customer);
  return t.change;
}
