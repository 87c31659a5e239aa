import type { Door, SignedIn } from './door';

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
