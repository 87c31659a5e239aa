import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { ErrorSummary, FieldMessage, type FieldError } from './errors';
import { Layout, type Frame } from './layout';
import { WaysOut } from './ways-out';

export function codePage(props: {
  frame: Frame;
  customer: string;
  phoneEnding: string;
  /** Outside production only. */
  shownCode: string | undefined;
  typed: string;
  error?: FieldError | undefined;
}): VNode {
  const { frame, customer, phoneEnding, shownCode, typed, error } = props;
  const t = frame.texts.code;
  return (
    <Layout frame={frame} title={t.title} error={!!error}>
      <ErrorSummary texts={frame.texts} error={error} />
      <h1>{t.title}</h1>
      {shownCode && <p class="note">{frame.texts.testBanner(shownCode)}</p>}
      <p>{t.sentTo(phoneEnding)}</p>
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
          maxLength={12}
          value={typed}
          aria-describedby={error ? 'code-error code-hint' : 'code-hint'}
          aria-invalid={error ? true : undefined}
        />
      </div>
      <div class="buttons">
        <button class="main">{frame.texts.continue}</button>
        <button class="second" name="do" value="resend">
          {t.resend}
        </button>
      </div>
      <WaysOut back={{ href: PATHS.phone, text: t.otherPhone }} frame={frame} customer={customer} />
    </Layout>
  );
}
