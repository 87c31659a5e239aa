import type { VNode } from 'preact';
import { LONGEST_CODE } from '../../../domain/text/read-code';
import type { CodeWay } from '../../../store/codes/sign-in-codes';
import { FieldMessage, type FieldError } from './errors';
import { Layout, type FarmerPageContext } from './layout';
import { type To, WaysOut } from './ways-out';

export function codePage(props: {
  context: FarmerPageContext;
  customer: string | undefined;
  /** The way back, where there is one: to another phone, unless the link is for this one alone. */
  back: To | undefined;
  phoneEnding: string;
  via: CodeWay;
  digits: number;
  /** Whether a call is offered beside a text. */
  calls: boolean;
  /** The code itself, shown outside production only. */
  shownCode: string | undefined;
  error?: FieldError | undefined;
}): VNode {
  const { context, customer, back, phoneEnding, via, digits, calls, shownCode, error } = props;
  const t = context.texts.code;
  return (
    <Layout context={context} title={t.title[via]} error={error}>
      {shownCode && <p class="note">{context.texts.testBanner(shownCode)}</p>}
      <p>{t.sentTo[via](phoneEnding, digits)}</p>
      <div class={error && 'bad'}>
        <label for="code">{t.label}</label>
        <p class="hint soft" id="code-hint">
          {t.slow}
        </p>
        <FieldMessage error={error} />
        <input
          class="code"
          id="code"
          name="code"
          type="text"
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={LONGEST_CODE}
          aria-describedby={error ? 'code-error code-hint' : 'code-hint'}
          aria-invalid={error ? true : undefined}
        />
      </div>
      <div class="buttons">
        <button class="main">{context.texts.continue}</button>
        <button class="second" name="do" value="resend">
          {t.resend}
        </button>
        {calls && (
          <button class="second" name="do" value="call">
            {context.texts.phone.call}
          </button>
        )}
      </div>
      <p>{t.nothingComes}</p>
      <WaysOut back={back} context={context} customer={customer} />
    </Layout>
  );
}
