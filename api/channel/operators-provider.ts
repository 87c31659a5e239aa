import type { Claims, ProviderSettings } from '../../domain/operators-provider';

/** The OpenID Connect provider at which operators sign in. */
export interface OperatorsProvider {
  /** Its host, for people. */
  name: string;
  settings: ProviderSettings;
  /** @param secret what this browser alone keeps @param to the page after it @returns where the browser goes */
  begin(secret: string, to: string): Promise<string>;
  /** @param query with which the browser comes back @throws ProviderAway, SignInRefused */
  finish(secret: string, query: string): Promise<{ claims: Claims; to: string }>;
}

/** It does not answer, or not as a provider would. The message is one word for the log. */
export class ProviderAway extends Error {
  override name = 'ProviderAway';
}

/** It has not signed this browser in. The message is one word for the log. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
}
