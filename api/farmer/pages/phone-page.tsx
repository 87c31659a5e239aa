import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { ErrorSummary, FieldMessage, type FieldError } from './errors';
import { Layout, type Frame } from './layout';

export function phonePage(props: {
  frame: Frame;
  customer: string;
  displayName: string;
  contact: string | undefined;
  phone: string;
  error?: FieldError | undefined;
}): VNode {
  const { frame, customer, displayName, contact, phone, error } = props;
  const t = frame.texts.phone;
  return (
    <Layout frame={frame} title={t.title} error={!!error}>
      <ErrorSummary texts={frame.texts} error={error} />
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
      </div>
      <p>
        <a class="plain" href={PATHS.cancelled}>
          {frame.texts.leave(customer)}
        </a>
      </p>
      {contact && <p class="soft">{frame.texts.callFor(contact)}</p>}
    </Layout>
  );
}
