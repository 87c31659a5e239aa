import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { ErrorSummary, FieldMessage, type FieldError } from './errors';
import { Layout, type FarmerPageContext } from './layout';

export function phonePage(props: {
  context: FarmerPageContext;
  customer: string;
  displayName: string;
  contact: string | undefined;
  phone: string;
  /** Whether a call can be offered beside a text. */
  calls: boolean;
  error?: FieldError | undefined;
}): VNode {
  const { context, customer, displayName, contact, phone, calls, error } = props;
  const t = context.texts.phone;
  return (
    <Layout context={context} title={t.title} error={!!error}>
      <ErrorSummary texts={context.texts} error={error} />
      <h1>{t.title}</h1>
      <p>{t.why(customer)}</p>
      {displayName !== customer && <p class="soft">{t.calledItself(displayName)}</p>}
      <p>{t.how}</p>
      <div class={error && 'bad'}>
        <label for="phone">{t.label}</label>
        <p class="hint soft" id="phone-hint">
          {t.hint}
        </p>
        <FieldMessage error={error} />
        <input
          id="phone"
          name="phone"
          type="tel"
          autocomplete="tel-national"
          value={phone}
          aria-describedby={error ? 'phone-error phone-hint' : 'phone-hint'}
          aria-invalid={error ? true : undefined}
        />
      </div>
      <div class="buttons">
        <button class="main">{t.send}</button>
        {calls && (
          <button class="second" name="do" value="call">
            {t.call}
          </button>
        )}
      </div>
      <p>
        <a class="plain" href={PATHS.cancelled}>
          {context.texts.leave(customer)}
        </a>
      </p>
      {contact && <p class="soft">{context.texts.callFor(contact)}</p>}
    </Layout>
  );
}
