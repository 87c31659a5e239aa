import type { ErrorCode } from '../../../api/http/http-error';

export const PUSH = '/api/v1/push';
export const CHANNEL = '/api/v1/channels/acme';
export const RESET = `${CHANNEL}/markers/tickets/reset`;

/** A request that must be refused, with its exact response. */
export interface BadInput {
  name: string;
  method?: string;
  path?: string;
  /** The caller whose token is sent; an `authorization` header overrides it. */
  as?: 'erp' | 'channel' | 'nobody';
  headers?: Record<string, string>;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
  status: number;
  code: ErrorCode | 'PAGE';
  /** The keys of `validation_messages`, exactly. */
  fields?: string[];
  /** The `Allow` header, exactly. */
  allow?: string;
}

export const malformed = (name: string, body: unknown): BadInput => ({
  name,
  body,
  status: 400,
  code: 'MALFORMED_BODY',
});

export const INVALID_INPUT = (name: string, body: unknown, ...fields: string[]): BadInput => ({
  name,
  body,
  status: 422,
  code: 'VALIDATION_ERROR',
  fields,
});

/** The same inputs sent to another route. */
export const at = (inputs: BadInput[], where: Partial<BadInput>): BadInput[] =>
  inputs.map((input) => ({ ...input, ...where }));
