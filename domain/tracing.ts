// Steps of a request or a delivery, as OpenTelemetry keeps them. Where traces are off its SDK is not loaded
// (docs/decisions/0040): the rooms know these types alone.

/** One step, in the place that W3C Trace Context gives it. */
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
  /** The `traceparent` of the step that it belongs to; left out: the one that runs here. */
  parent?: string | undefined;
  /** Steps of other traces that it comes from, by their `traceparent`. */
  links?: Iterable<string>;
  attributes?: Attributes;
}

export interface Tracing {
  inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

/** Does the work, and where traces are on within a span. */
export const traced = <T>(
  tracing: Tracing | undefined,
  name: string,
  options: () => SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> => (tracing ? tracing.inSpan(name, options(), work) : work());

// As many as a collector keeps of a span.
const MOST_LINKS = 128;

/** The step that posts a page. It comes from the pushes of its records, each of which carries the `trace` of its own. */
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

/** Whether a step is sampled. Nobody keeps the trace of a step that is not. */
export const isSampled = (traceparent: string) => /[13579bdf]$/.test(traceparent);
