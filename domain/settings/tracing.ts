// Spans of requests and deliveries. OpenTelemetry's SDK is loaded only if tracing is on
// (docs/decisions/0040), so code outside of tracing/ uses these types.

/** One step of a request or a delivery, with its W3C Trace Context. */
export interface Span {
  /** `00-<trace>-<span>-<flags>` */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  fail(): void;
}

type Attributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  kind?: 'server' | 'client';
  /** The `traceparent` of the parent. Left out: the current span. */
  parent?: string | undefined;
  /** The `traceparent`s of spans in other traces that led to this one. */
  links?: Iterable<string>;
  attributes?: Attributes;
}

export interface Tracing {
  inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

/** Does the work, within a span if tracing is on. */
export const traced = <T>(
  tracing: Tracing | undefined,
  name: string,
  options: () => SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> => (tracing ? tracing.inSpan(name, options(), work) : work());

// The number of links that OpenTelemetry keeps of a span by default.
const MOST_LINKS = 128;

/**
 * The span of posting a page. It links to the pushes of its records; `trace` is the `traceparent` of such a
 * push.
 */
export function spanOfPage(
  channel: string,
  of: { requestId: string; delivery: string; entityType: string },
  records: { trace?: string | undefined }[],
): SpanOptions {
  const pushes = new Set(records.flatMap(({ trace }) => trace ?? []));
  return {
    kind: 'client',
    links: [...pushes].slice(-MOST_LINKS),
    attributes: {
      'http.request.method': 'POST',
      channel,
      entity_type: of.entityType,
      delivery: of.delivery,
      records: records.length,
      request_id: of.requestId,
    },
  };
}

/** Whether a span is sampled. Only sampled spans are kept. */
export const isSampled = (traceparent: string) => /[13579bdf]$/.test(traceparent);
