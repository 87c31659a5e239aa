import type { VNode } from 'preact';
import { SHARING, stopPath } from '../paths';
import type { Recipient, SharedAccount } from '../who-sees';
import { Layout, type FarmerPageContext } from './layout';
import { MOST_SHOWN } from './sharing-page';
import { Links } from './ways-out';

/** Asks whether to stop, and says what that ends. */
export function stopPage(props: {
  context: FarmerPageContext;
  /** The name and the value of the button. */
  button: { name: 'stop' | 'do'; value: string };
  stopping: { recipient: Recipient; accounts: SharedAccount[] }[];
}): VNode {
  const { button, stopping } = props;
  // The language button posts to this page.
  const context = { ...props.context, action: stopPath(button.name, button.value) };
  const { accounts: words, check, sharing } = context.texts;
  const names = stopping.map(({ recipient }) => recipient.channel.name);
  return (
    <Layout context={context} title={sharing.ask.title}>
      {/* What the ledger says was read, whatever another window has switched to since. */}
      <input type="hidden" name="read" value={context.language} />
      <p>{sharing.ask.text}</p>
      {stopping.map(({ recipient: { channel }, accounts }) => (
        <section key={channel._id}>
          <h2>{channel.name}</h2>
          <ul>
            {accounts.slice(0, MOST_SHOWN).map(({ id, name, company, remote_id }) => (
              <li key={id}>
                {name}{' '}
                <small>
                  {company.name} · {words.number(remote_id)}
                </small>
              </li>
            ))}
          </ul>
          {accounts.length > MOST_SHOWN && <p>{sharing.more(accounts.length - MOST_SHOWN)}</p>}
        </section>
      ))}
      <p>{check.afterThat(names.join(', '), check.place.at(`“${sharing.title}”`))}</p>
      <div class="buttons">
        <button class="main stop" {...button}>
          {sharing.ask.yes}
        </button>
      </div>
      <Links to={[[SHARING.customers, sharing.ask.no]]} />
    </Layout>
  );
}
