import type { Claims, ProviderSettings } from '../../domain/settings/operators-provider';

/** The OpenID Connect provider at which operators sign in. */
export interface OperatorsProvider {
  /** Its host, for people. */
  name: string;
  settings: ProviderSettings;
  /**
   * Begins a sign-in.
   * @param secret a value that only this browser keeps, in its cookie
   * @param to the page to show afterwards
   * @returns the address at the provider to which the browser is sent
   */
  begin(secret: string, to: string): Promise<string>;
  /**
   * Ends the sign-in.
   * @param query what the provider has put into the address to which the browser comes back
   * @throws ProviderAway, SignInRefused
   */
  finish(secret: string, query: string): Promise<{ claims: Claims; to: string }>;
}

/** The provider does not answer, or not as a provider would. The message is one word for the log. */
export class ProviderAway extends Error {
  override name = 'ProviderAway';
}

/** The provider has not signed this browser in. The message is one word for the log. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
}
