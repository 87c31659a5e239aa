import type { VNode } from 'preact';
import type { Stopped } from '../../../store/sessions/farmer-sessions';
import type { Channel } from '../../../store/channels/channels';
import { SHARING, stopPath } from '../paths';
import { type EndedAccount, isPast, type Recipient, type SharedAccount, sharedBy } from '../who-sees';
import { Layout, type FarmerPageContext } from './layout';
import { Reference } from './reference';
import { Links } from './ways-out';

/** What the stop of a form is told by to the page that comes next. */
export const STOPPED = 'stopped';

/** The most accounts shown for one customer. Its button stops all of them. */
export const MOST_SHOWN = 100;

/** "Who sees my grain data": every customer, and a way to stop each. */
export function sharingPage(props: {
  context: FarmerPageContext;
  phoneEnding: string;
  recipients: Recipient[];
  /** What the farmer has just stopped. */
  stopped: Stopped | undefined;
  crowded: boolean;
}): VNode {
  const { context, phoneEnding, recipients, stopped, crowded } = props;
  const { check, sharing: t } = context.texts;
  const stoppable = recipients.filter(({ accounts }) => accounts.length > 0);
  const past = recipients.filter(isPast);
  const current = recipients.filter((recipient) => !isPast(recipient));
  return (
    <Layout context={context} title={t.title}>
      {stopped && (
        <p class="done" role="status">
          <input type="hidden" name="said" value={STOPPED} />
          {t.stopped(stopped)} {check.afterThat(stopped.customers.join(', '), check.place.here)}
        </p>
      )}
      {current.length > 0 ? <p>{t.intro(phoneEnding)}</p> : !crowded && <p>{t.nobody(phoneEnding)}</p>}
      {crowded && <p>{context.texts.accounts.crowded.text(phoneEnding)}</p>}
      {current.map((recipient) => (
        <Customer key={recipient.channel._id} context={context} recipient={recipient} />
      ))}
      {stoppable.length > 1 && (
        <section>
          <h2>{t.all}</h2>
          <p>{t.allHelp}</p>
          <div class="buttons">
            <a class="button main stop" href={stopPath('do', 'stop-all')}>
              {t.stopAll}
            </a>
          </div>
        </section>
      )}
      {past.length > 0 && (
        <section>
          <h2>{t.past}</h2>
          {past.map((recipient) => (
            <Customer key={recipient.channel._id} context={context} recipient={recipient} />
          ))}
        </section>
      )}
      <Links to={[[SHARING.phone, context.texts.code.otherPhone]]} />
    </Layout>
  );
}

function Customer({ context, recipient }: { context: FarmerPageContext; recipient: Recipient }): VNode {
  const { channel, accounts, ended, byCompany } = recipient;
  const t = context.texts.sharing;
  const Heading = isPast(recipient) ? 'h3' : 'h2';
  const left = accounts.length - MOST_SHOWN;
  return (
    <section>
      <Heading>{channel.name}</Heading>
      {channel.contact && <p class="soft">{channel.contact}</p>}
      {channel.closed && <p>{t.closed(channel.name, t.on(channel.closed.at, ended[0]?.zone))}</p>}
      <Purpose context={context} channel={channel} />
      <ul class="plain">
        {accounts.slice(0, MOST_SHOWN).map((account) => (
          <li key={account.id}>
            <Account context={context} account={account} />
            {accounts.length > 1 && (
              <a class="button stop" href={stopPath('stop', `${channel._id}/${account.id}`)}>
                {t.stopAccount}
                <span class="hidden">: {account.name}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
      {left > 0 && <p>{t.more(left)}</p>}
      {ended.length > 0 && (
        <ul class="plain">
          {ended.slice(0, MOST_SHOWN).map((account) => (
            <li key={account.id}>
              <Ended context={context} account={account} customer={channel.name} />
            </li>
          ))}
        </ul>
      )}
      {ended.length > MOST_SHOWN && <p>{t.more(ended.length - MOST_SHOWN)}</p>}
      {byCompany && (
        <p>
          {t.byCompany(byCompany.companies)}
          <br />
          <small>
            <Instant context={context} say={t.sentToAny} at={byCompany.sentAt} zone={undefined} />
          </small>
        </p>
      )}
      {accounts.length > 0 && (
        <div class="buttons">
          <a class="button main stop" href={stopPath('stop', channel._id)}>
            {t.stop(channel.name)}
          </a>
          {sharedBy(recipient).length > 0 && (
            <button class="second" name="copy" value={channel._id}>
              {t.copy.title}
              <span class="hidden">: {channel.name}</span>
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** An account that is no longer shared. The page claims no more than the customer has confirmed. */
function Ended(props: { context: FarmerPageContext; account: EndedAccount; customer: string }): VNode {
  const { context, account, customer } = props;
  const t = context.texts.sharing;
  const on = (at: Date) => t.on(at, account.zone);
  const { asked_at: asked, confirmed_at: confirmed } = account.deletion ?? {};
  return (
    <>
      <b>{account.name}</b>
      <small>
        {account.company.name} · {context.texts.accounts.number(account.remote_id)}
      </small>
      <small>{t.ended(on(account.endedAt))}</small>
      {account.isShared && <small>{t.notAsked(customer)}</small>}
      {!account.isShared && confirmed && <small>{t.confirmed(customer, on(confirmed))}</small>}
      {!account.isShared && asked && !confirmed && <small>{t.asked(on(asked))}</small>}
    </>
  );
}

/** The customer's purpose, and the uses that stopping here does not end. */
function Purpose({
  context,
  channel: { name, purpose, passes_on: passesOn },
}: {
  context: FarmerPageContext;
  channel: Channel;
}): VNode | null {
  if (!purpose && !passesOn) return null;
  const { check, sharing } = context.texts;
  return (
    <p>
      {purpose && check.says(name, purpose[context.language])} {passesOn && check.passesOn(passesOn)}{' '}
      {passesOn && passesOn.length > 0 && sharing.beyond(name)}
    </p>
  );
}

function Account({ context, account }: { context: FarmerPageContext; account: SharedAccount }): VNode {
  const t = context.texts.sharing;
  const references = account.own.map(({ partner_id }) => partner_id);
  return (
    <>
      <b>{account.name}</b>
      <small>
        {account.company.name} · {context.texts.accounts.number(account.remote_id)}
      </small>
      <small>
        {t.since} <time dateTime={account.since.toISOString()}>{t.on(account.since, account.zone)}</time>
      </small>
      <small>
        <Instant context={context} say={t.sent} at={account.sentAt} zone={account.zone} />
      </small>
      {account.endsOn && <small>{t.until(account.endsOn)}</small>}
      {references.length > 0 && (
        <small>
          {context.texts.check.reference}{' '}
          {references.map((reference, index) => (
            <>
              {index > 0 && ', '}
              <Reference of={reference} />
            </>
          ))}
        </small>
      )}
      {account.others.length > 0 && <small>{t.others(account.others)}</small>}
    </>
  );
}

/** A time within a sentence. */
function Instant(props: {
  context: FarmerPageContext;
  say: { before: string; never: string };
  at: Date | null;
  zone: string | undefined;
}): VNode {
  const { context, say, at, zone } = props;
  if (!at) return <>{say.never}</>;
  return (
    <>
      {say.before} <time dateTime={at.toISOString()}>{context.texts.sharing.at(at, zone)}</time>
    </>
  );
}
