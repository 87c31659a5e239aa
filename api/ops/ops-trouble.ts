const TROUBLES = {
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
  noChannel: [404, 'There is no such channel', '`gdx channel list` and the list of channels show them all.'],
  invalid: [422, 'This address does not work', 'Something in it is not what the page expects.'],
  limited: [429, 'Too many tries', '`gdx` on the service’s machine works meanwhile.'],
  defect: [500, 'Something went wrong on our side', 'The log has it under this request id.'],
  busy: [
    503,
    'Not now',
    'MongoDB does not answer, or the service is starting or ending. Try again in a moment.',
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

/** Why an operator gets another page than the one he asked for. */
export class OpsTrouble extends Error {
  override name = 'OpsTrouble';
  readonly status: number;
  readonly title: string;
  readonly text: string;

  constructor(
    readonly kind: keyof typeof TROUBLES,
    readonly waitMs = 0,
  ) {
    super(kind);
    [this.status, this.title, this.text] = TROUBLES[kind];
  }
}
