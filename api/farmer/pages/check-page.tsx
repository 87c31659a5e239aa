import type { ComponentChildren, VNode } from 'preact';
import type { EntityType } from '../../../domain/records/entity-types';
import type { ListedAccount } from '../list-accounts';
import { PATHS } from '../paths';
import type { Plan } from '../plan-choices';
import type { Texts } from '../texts/en';
import { AccountList } from './account-list';
import { Layout, type FarmerPageContext } from './layout';
import { Reference } from './reference';
import { WaysOut } from './ways-out';

/**
 * The page to check before saving: which accounts are shared with whom, what, since when and until when, and how to
 * stop. This is the consent text; any change of wording requires a new CONSENT_TEXT_VERSION.
 */
export function checkPage(props: {
  context: FarmerPageContext;
  customer: string;
  displayName: string;
  partnerId: string;
  entityTypes: EntityType[];
  /** The customer collects its pages whenever it likes. Otherwise pages are posted every `cadenceMs`. */
  collects: boolean;
  cadenceMs: number;
  /**
   * The customer's purpose, and the names of those to whom it may pass records on; undefined where the customer has
   * named none.
   */
  purpose: string | undefined;
  passesOn: string[] | undefined;
  /** Today in the farmer's time zone. */
  today: string;
  plan: Plan;
  /** The address of "who sees my grain data". */
  sharingUrl: string;
  form: string;
  stale?: boolean;
}): VNode {
  const { context, customer, plan, form, stale } = props;
  const t = context.texts.check;
  const { start, keep, moved, stop, widened } = plan;
  const changes = start.length + stop.length + moved.length + widened.length;
  const shares = start.length + keep.length > 0;
  return (
    <Layout
      context={context}
      title={t.title}
      error={stale ? { field: 'choices', message: t.stale } : undefined}
    >
      <input type="hidden" name="form" value={form} />
      <div id="choices">
        <Accounts title={t.start} accounts={start} />
        <Accounts title={t.keep} accounts={keep} />
        <Accounts title={t.widened} accounts={widened} />
        <Accounts title={t.moved} accounts={moved} />
        <Accounts title={t.stop} accounts={stop} />
      </div>
      {changes === 0 && <p>{t.sameHelp}</p>}
      {shares ? (
        <Terms {...props} />
      ) : (
        <Section title={t.after}>{t.afterThat(customer, t.place.at(props.sharingUrl))}</Section>
      )}
      <div class="buttons">
        <button class={shares ? 'main' : 'main stop'} name="do" value="save">
          {buttonText(t, customer, plan)}
        </button>
      </div>
      <WaysOut back={[PATHS.accounts, t.back]} context={context} customer={customer} />
    </Layout>
  );
}

function Accounts(props: { title: (count: number) => string; accounts: ListedAccount[] }): VNode | null {
  if (props.accounts.length === 0) return null;
  return (
    <>
      <h2>{props.title(props.accounts.length)}</h2>
      <AccountList accounts={props.accounts} />
    </>
  );
}

type Props = Parameters<typeof checkPage>[0];

function Section({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <>
      <h2>{title}</h2>
      <p>{children}</p>
    </>
  );
}

/** The terms, in the order of the consent text. */
function Terms(props: Props): VNode {
  const { context, customer, displayName, partnerId, purpose, passesOn } = props;
  const { texts } = context;
  const t = texts.check;
  return (
    <>
      <Section title={t.who}>
        {t.gets(customer)}
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
      </Section>
      <h2>{t.what}</h2>
      <ul>
        {[...props.entityTypes, 'more' as const].map((type) => (
          <li key={type}>{texts.what[type]}</li>
        ))}
      </ul>
      {(purpose !== undefined || passesOn) && (
        <Section title={t.purpose}>
          {purpose !== undefined && t.says(customer, purpose)} {passesOn && t.passesOn(passesOn)}
        </Section>
      )}
      <h2>{t.from}</h2>
      <From {...props} />
      <Section title={t.often}>{props.collects ? t.collected(customer) : t.every(props.cadenceMs)}</Section>
      <h2>{t.until}</h2>
      <Until texts={texts} plan={props.plan} />
      <Section title={t.stopping}>{t.howToStop(props.sharingUrl)}</Section>
      <Section title={t.after}>{t.afterThat(customer, t.place.there)}</Section>
      {props.plan.start.length > 0 && <Section title={t.texts}>{t.weText}</Section>}
    </>
  );
}

/**
 * Since when records are shared. Accounts without their earlier records are listed by name, unless all have the same
 * start.
 */
function From({ context: { texts }, plan, today }: Props): VNode {
  const t = texts.check;
  const { start, keep, widened, earlier } = plan;
  const late = [
    ...(earlier ? [] : start.map((account) => ({ ...account, from: today }))),
    ...keep.flatMap((account) =>
      account.newSince && !widened.includes(account) ? [{ ...account, from: account.newSince }] : [],
    ),
  ];
  const isOneDay = new Set(late.map(({ from }) => from)).size === 1;
  if (late.length === start.length + keep.length && isOneDay) return <p>{t.onlyNew(late[0]!.from)}</p>;
  return (
    <>
      {late.length < start.length + keep.length && <p>{t.earlierToo}</p>}
      {late.length > 0 && (
        <>
          <p>{t.onlyNewOf}</p>
          <AccountList accounts={late} say={({ from }) => t.since(from)} />
        </>
      )}
    </>
  );
}

/** Until when records are shared. Accounts that are not offered may keep an earlier end; they are listed by name. */
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
          <AccountList accounts={unmoved} say={({ endsOn: own = '' }) => t.untilDay(own)} />
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
