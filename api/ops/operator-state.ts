import type { OperatorSession } from '../../store/access/operator-sessions';
import type { Operator } from '../../store/access/operators';

/** `ctx.state` of the operators' pages. */
export interface OperatorState {
  operator: Operator;
  session: OperatorSession;
  /** The posted form; empty for a GET. */
  form: URLSearchParams;
}

/** `ctx.state` of the sign-in page, which has a form but no session. */
export interface SignInState {
  /** The form's CSRF token, also stored in a cookie. */
  formToken: string;
  form: URLSearchParams;
}

/** The settings that the operators' pages need. */
export interface OpsSettings {
  serviceName: string;
  publicUrl: string;
  production: boolean;
  /** Empty when unknown; then the pages show no links. */
  temporalUiUrl: string;
  temporalNamespace: string;
  /** Days that a customer's own resets are kept, like reports of failed deliveries. */
  retentionDays: number;
}
