/** Every error code with its status (docs/contract.md A2). The HTTP server itself answers the last three. */
export const ERROR_STATUS = {
  MALFORMED_BODY: 400,
  UNAUTHENTICATED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ACCOUNT_SHARED: 409,
  CHANNEL_PAUSED: 409,
  CHANNEL_PUSHED: 409,
  PAGE_NOT_WAITING: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  REQUEST_ID_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  MALFORMED_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An error response. The message is for the caller: it contains no internal name and none of the caller's values. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly validation_messages: Record<string, string[]> | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: Partial<Pick<HttpError, 'headers' | 'validation_messages'>> = {},
  ) {
    super(message);
    this.status = ERROR_STATUS[code];
    this.headers = details.headers ?? {};
    this.validation_messages = details.validation_messages;
  }

  /** The error body, which always has this shape (docs/contract.md A2). */
  toBody(requestId: string) {
    const { code, message, validation_messages } = this;
    return { code, message, request_id: requestId, ...(validation_messages && { validation_messages }) };
  }
}

const RETRY_AFTER_S = 5;

export const notFound = () =>
  new HttpError('NOT_FOUND', 'There is nothing at this address. What there is, /guide says.');

export const invalid = (validation_messages: Record<string, string[]>) =>
  new HttpError('VALIDATION_ERROR', 'The request is not valid: validation_messages names every field.', {
    validation_messages,
  });

export const unavailable = () =>
  new HttpError('UNAVAILABLE', 'The service cannot take this request now: try it again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });

export const rateLimited = (waitMs: number) =>
  new HttpError('RATE_LIMITED', 'Too many requests: wait as long as Retry-After says.', {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) },
  });
