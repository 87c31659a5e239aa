const STATUS = {
  invalid: 400,
  over: 403,
  stale: 403,
  gone: 404,
  astray: 404,
  limited: 429,
  crowded: 429,
  busy: 503,
  notSent: 503,
} as const;

export type TroubleKind = keyof typeof STATUS;

/** Why a farmer gets a page of explanation instead of the one he asked for. */
export class Trouble extends Error {
  override name = 'Trouble';
  readonly status: number;

  constructor(
    readonly kind: TroubleKind,
    readonly details: { waitMs?: number; back?: string } = {},
  ) {
    super(kind);
    this.status = STATUS[kind];
  }
}
