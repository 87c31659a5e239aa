import type { VNode } from 'preact';
import type { Door } from '../door';
import { PageHtml, Problem } from './page-layout';

const WORDS = {
  operator: {
    label: 'Operator’s token',
    wrong: 'This is not an operator’s token',
    hint: (
      <>
        <code>gdx operator add "your name" --role operate</code> on the service’s machine prints one, once.
      </>
    ),
  },
  channel: {
    label: 'API key of your channel',
    wrong: 'This key opens no channel',
    hint: <>The operator gave it to you; it is the one that your requests to the API carry.</>,
  },
};

export function signInPage(props: {
  service: string;
  csrf: string;
  door: Door;
  /** The page after signing in. */
  to: string;
  /** The page to ask for again. After a link on another site the browser withholds the session's cookie. */
  again: string | undefined;
  wrong: boolean;
  /** Where operators sign in without a token. */
  provider: string | undefined;
}): VNode {
  const { service, csrf, door, to, again, wrong, provider } = props;
  const words = WORDS[door.holder];
  return (
    <PageHtml title={`${wrong ? 'Error: ' : ''}Sign in`} service={service} door={door}>
      <header>
        <p>
          {service} <span class="soft">{door.people}</span>
        </p>
        {door.holder === 'channel' && <a href="/guide/customer">Guide</a>}
      </header>
      <main class="narrow">
        {wrong && <Problem field="token" message={words.wrong} />}
        <h1>Sign in</h1>
        {again && (
          <p>
            You are not signed in here. If you came by a link and signed in before,{' '}
            <a href={again}>open the page again</a>.
          </p>
        )}
        {provider && (
          <p>
            <a href={`${door.paths.signIn}/provider?${new URLSearchParams({ to })}`}>Sign in at {provider}</a>
            , or with a token:
          </p>
        )}
        <form method="post" action={door.paths.signIn}>
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="to" value={to} />
          {/* For password managers, which store a password with a user name. */}
          <input hidden readOnly autocomplete="username" value={door.holder} />
          <label for="token">{words.label}</label>
          <p class="soft" id="token-hint">
            {words.hint}
          </p>
          {wrong && (
            <p class="error" id="token-error">
              {words.wrong}
            </p>
          )}
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            required
            aria-describedby={wrong ? 'token-error token-hint' : 'token-hint'}
            aria-invalid={wrong ? true : undefined}
          />
          <button>Sign in</button>
        </form>
      </main>
    </PageHtml>
  );
}
