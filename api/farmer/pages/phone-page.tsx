import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { FieldMessage, type FieldError } from './errors';
import { Layout, type FarmerPageContext } from './layout';
import { Links } from './ways-out';

export function phonePage(props: {
  context: FarmerPageContext;
  /** The customer that asks; undefined where the farmer came without a link. */
  customer: { name: string; displayName: string; contact: string | undefined } | undefined;
  phone: string;
  /** Whether a call is offered beside a text. */
  calls: boolean;
  /** Says that the customer's link is signed for this phone, so that it cannot be changed; else undefined. */
  signed: string | undefined;
  error?: FieldError | undefined;
}): VNode {
  const { context, customer, phone, calls, signed, error } = props;
  const t = context.texts.phone;
  return (
    <Layout context={context} title={t.title} error={error}>
      <p>{customer ? t.why(customer.name) : context.texts.sharing.why}</p>
      <p class="soft">{t.who(context.service)}</p>
      {customer && customer.displayName !== customer.name && (
        <p class="soft">{t.calledItself(customer.displayName)}</p>
      )}
      <p>{t.how}</p>
      <div class={error && 'bad'}>
        <label for="phone">{t.label}</label>
        <p class="hint soft" id="phone-hint">
          {signed ?? t.hint}
        </p>
        <FieldMessage error={error} />
        <input
          id="phone"
          name="phone"
          type="tel"
          autocomplete="tel-national"
          value={phone}
          readOnly={signed !== undefined}
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
      {customer && <Links to={[[PATHS.cancelled, context.texts.leave(customer.name)]]} />}
      {customer?.contact && <p class="soft">{context.texts.callFor(customer.contact)}</p>}
    </Layout>
  );
}
