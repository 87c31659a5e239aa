import type { OutboundRule } from '../../domain/settings/denied-address';
import type { Context, Deps } from '../http/route';
import type { Door, SignedIn } from './door';
import type { OperatorsProvider } from './operators-provider';

/** The settings that the pages of operators and customers need, and where customers' addresses may point. */
export interface PageSettings extends OutboundRule {
  serviceName: string;
  publicUrl: string;
  /** Empty when unknown; then the pages show no links. */
  temporalUiUrl: string;
  temporalNamespace: string;
  /** Days that a customer's own actions are kept, like reports of failed deliveries. */
  retentionDays: number;
}

/** The dependencies of pages behind a door. */
export interface PageDeps extends Deps {
  pages: PageSettings;
  /** Without it operators sign in with tokens alone. */
  provider?: OperatorsProvider | undefined;
}

/** `ctx.state` of the pages of a session. */
export interface SignedInState extends SignedIn {
  door: Door;
  /** The posted form; empty for a GET. */
  form: URLSearchParams;
}

/** `ctx.state` of a sign-in page, which has a form but no session. */
export interface SignInState {
  door: Door;
  /** The form's CSRF token, also stored in a cookie. */
  formToken: string;
  form: URLSearchParams;
}

export type SignInContext = Context<SignInState>;
export type SignedInContext = Context<SignedInState>;
