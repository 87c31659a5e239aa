import type { OperatorSession } from '../../store/operator-sessions';
import type { Operator } from '../../store/operators';

/** What the operators' pages work with. */
export interface OperatorVisit {
  operator: Operator;
  session: OperatorSession;
  /** What was posted; empty for a GET. */
  form: URLSearchParams;
}

/** The page before: a form too, and no session yet. */
export interface SigningIn {
  /** What its form must bring along to count (CSRF); a cookie holds it. */
  formToken: string;
  form: URLSearchParams;
}

/** What the operators' pages need of the process beside store and bell. */
export interface OpsSettings {
  serviceName: string;
  publicUrl: string;
  production: boolean;
  /** Empty where nobody has said it: then there are no links. */
  temporalUiUrl: string;
  temporalNamespace: string;
}
