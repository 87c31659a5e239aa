const STATUS = {
  invalid: 400,
  over: 403,
  stale: 403,
  gone: 404,
  unknownPage: 404,
  elsewhere: 421,
  limited: 429,
  guessed: 429,
  crowded: 429,
  busy: 503,
  notSent: 503,
  paused: 503,
} as const;

export type FarmerPageErrorKind = keyof typeof STATUS;

export const isFarmerPageErrorKind = (kind: string): kind is FarmerPageErrorKind =>
  Object.hasOwn(STATUS, kind);

/** An error that the farmer sees as a page instead of the requested one. */
export class FarmerPageError extends Error {
  override name = 'FarmerPageError';
  readonly status: number;

  constructor(
    readonly kind: FarmerPageErrorKind,
    readonly details: { waitMs?: number; back?: string } = {},
  ) {
    super(kind);
    this.status = STATUS[kind];
  }

  get waitMs(): number | undefined {
    return this.details.waitMs;
  }

  get back(): string | undefined {
    return this.details.back;
  }
}
