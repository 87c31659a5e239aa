interface Shown {
  status: number;
  title: string;
  text: string;
  /** Where customers read another text. */
  forCustomers?: string;
}

const PAGE_ERRORS = {
  unreadable: {
    status: 400,
    title: 'This form cannot be read',
    text: 'Nothing was changed. Go back, reload the page and try again.',
  },
  signedOut: { status: 401, title: 'Sign in', text: '' },
  stale: {
    status: 403,
    title: 'This form is out of date',
    text: 'Nothing was changed: it does not come from a page of your session. Go back, reload the page and try again.',
  },
  readsOnly: {
    status: 403,
    title: 'Your role is read-only',
    text: 'Nothing was changed. Your role is `read`; `gdx operator add --role operate` makes a token that may act.',
  },
  signInStale: {
    status: 403,
    title: 'This sign-in has expired',
    text: 'It took longer than ten minutes, or began in another browser. Begin it again.',
  },
  signInRefused: {
    status: 403,
    title: 'The provider has not signed you in',
    text: 'The log says why under this request id. Begin again, or sign in with an operator’s token.',
  },
  noGroup: {
    status: 403,
    title: 'You are in no group that may come in',
    text: 'The provider knows you, and names no group of GDX_OIDC_OPERATE_GROUPS or GDX_OIDC_READ_GROUPS. Whoever looks after it can add you to one.',
  },
  noProvider: {
    status: 404,
    title: 'There is no provider to sign in at',
    text: 'GDX_OIDC_ISSUER names none: operators sign in with a token.',
  },
  noChannel: {
    status: 404,
    title: 'There is no such channel',
    text: '`gdx channel list` and the list of channels show them all.',
  },
  noAccount: {
    status: 404,
    title: 'You get no such account',
    text: 'You get no tickets and no settlements of it. One that a farmer has just shared is here once its catch-up has begun, which a paused channel does not do.',
  },
  invalid: {
    status: 422,
    title: 'This address does not work',
    text: 'Something in it is not what the page expects.',
  },
  limited: {
    status: 429,
    title: 'Too many tries',
    text: 'Until then `gdx` works on the service’s machine.',
    forCustomers: 'Until then your key works at the API.',
  },
  crowded: {
    status: 429,
    title: 'Too many requests',
    text: 'Nothing was changed. Wait a few seconds, then try again.',
  },
  defect: {
    status: 500,
    title: 'Something went wrong on our side',
    text: 'The log has it under this request id.',
    forCustomers: 'Tell the operator this request id.',
  },
  providerAway: {
    status: 503,
    title: 'The provider does not answer',
    text: 'Sign in with an operator’s token, or try again in a moment.',
  },
  busy: {
    status: 503,
    title: 'Not now',
    text: 'MongoDB does not answer, or the service is starting or ending. Try again in a moment.',
    forCustomers: 'The service does not answer just now. Try again in a moment.',
  },
} as const satisfies Record<string, Shown>;

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
    const { status, title, text, forCustomers = text }: Shown = PAGE_ERRORS[kind];
    this.status = status;
    this.title = title;
    this.text = text;
    this.customersText = forCustomers;
  }
}
