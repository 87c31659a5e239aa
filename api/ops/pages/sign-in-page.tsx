import type { VNode } from 'preact';
import { OpsHtml, Problem } from './ops-layout';

const WRONG = 'This is no operator’s token';

export function signInPage(props: {
  service: string;
  csrf: string;
  action: string;
  /** The page after signing in. */
  to: string;
  /** The requested page, if the browser may have withheld its session cookie. */
  again: string | undefined;
  wrong: boolean;
}): VNode {
  const { service, csrf, action, to, again, wrong } = props;
  return (
    <OpsHtml title={`${wrong ? 'Error: ' : ''}Sign in`} service={service}>
      <header>
        <p>
          {service} <span class="soft">operators</span>
        </p>
      </header>
      <main class="narrow">
        {wrong && <Problem field="token" message={WRONG} />}
        <h1>Sign in</h1>
        {again && (
          <p>
            This page needs a session. It may have ended; or you came by a link from elsewhere, then{' '}
            <a href={again}>open the page again</a>.
          </p>
        )}
        <form method="post" action={action}>
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="to" value={to} />
          {/* For password managers, which store a password with a user name. */}
          <input hidden readOnly autocomplete="username" value="operator" />
          <label for="token">Operator’s token</label>
          <p class="soft" id="token-hint">
            <code>gdx operator add "your name"</code> on the service’s machine prints one, once.
          </p>
          {wrong && (
            <p class="error" id="token-error">
              {WRONG}
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
    </OpsHtml>
  );
}
