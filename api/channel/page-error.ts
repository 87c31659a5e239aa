// Status, title and text; last a text for customers where theirs differs.
const PAGE_ERRORS = {
  unreadable: [
    400,
    'This form cannot be read',
    'Nothing was changed. Go back, reload the page and try again.',
  ],
  signedOut: [401, 'Sign in', ''],
  stale: [
    403,
    'This form is out of date',
    'Nothing was changed: it does not come from a page of your session. Go back, reload the page and try again.',
  ],
  readsOnly: [
    403,
    'Your role is read-only',
    'Nothing was changed. Your role is `read`; `gdx operator add --role operate` makes a token that may act.',
  ],
  signInStale: [
    403,
    'This sign-in has expired',
    'It took longer than ten minutes, or began in another browser. Begin it again.',
  ],
  signInRefused: [
    403,
    'The provider has not signed you in',
    'The log says why under this request id. Begin again, or sign in with an operator’s token.',
  ],
  noGroup: [
    403,
    'You are in no group that may come in',
    'The provider knows you, and names no group of GDX_OIDC_OPERATE_GROUPS or GDX_OIDC_READ_GROUPS. Whoever looks after it can add you to one.',
  ],
  noProvider: [
    404,
    'There is no provider to sign in at',
    'GDX_OIDC_ISSUER names none: operators sign in with a token.',
  ],
  noChannel: [404, 'There is no such channel', '`gdx channel list` and the list of channels show them all.'],
  invalid: [422, 'This address does not work', 'Something in it is not what the page expects.'],
  limited: [
    429,
    'Too many tries',
    'Until then `gdx` works on the service’s machine.',
    'Until then your key works at the API.',
  ],
  crowded: [429, 'Too many requests', 'Nothing was changed. Wait a few seconds, then try again.'],
  defect: [
    500,
    'Something went wrong on our side',
    'The log has it under this request id.',
    'Tell the operator this request id.',
  ],
  providerAway: [
    503,
    'The provider does not answer',
    'Sign in with an operator’s token, or try again in a moment.',
  ],
  busy: [
    503,
    'Not now',
    'MongoDB does not answer, or the service is starting or ending. Try again in a moment.',
    'The service does not answer just now. Try again in a moment.',
  ],
} as const satisfies Record<string, readonly [number, string, string, string?]>;

type PageErrorKind = keyof typeof PAGE_ERRORS;

export const isPageErrorKind = (kind: string): kind is PageErrorKind => Object.hasOwn(PAGE_ERRORS, kind);

/** Shown as a page instead of the one requested. */
export class PageError extends Error {
  override name = 'PageError';
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly customersText: string;

  constructor(
    readonly kind: PageErrorKind,
    readonly waitMs = 0,
  ) {
    super(kind);
    const known: readonly [number, string, string, string?] = PAGE_ERRORS[kind];
    [this.status, this.title, this.text, this.customersText = known[2]] = known;
  }
}
