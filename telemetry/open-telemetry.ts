import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Span, SpanOptions, Tracing } from '../domain/settings/tracing';
import { withoutEndSlashes } from '../domain/text/without-end-slashes';

// Spans that are not sent within this time are lost, so that the process ends in time.
const LAST_SPANS_MS = 2_000;
// A collector that is away fails every few seconds.
const COMPLAIN_EVERY_MS = 60_000;

const KINDS = { server: otel.SpanKind.SERVER, client: otel.SpanKind.CLIENT };

export type OpenTelemetry = ReturnType<typeof openTelemetry>;

/**
 * Sends spans to `<endpoint>/v1/traces` (OTLP/HTTP, JSON), in the background. Everything else is OpenTelemetry's own:
 * `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS` and so on. The interceptors are Temporal's, for its
 * client and for activities. Workflows have none: it would change the random numbers that a replay sees
 * (docs/decisions/0040).
 */
export function openTelemetry(endpoint: string, service: { name: string; version: string }, log: Logger) {
  otel.diag.setLogger(complaining(log), otel.DiagLogLevel.ERROR);
  const own = new Resource({ 'service.name': service.name, 'service.version': service.version });
  const exporter = new OTLPTraceExporter({ url: `${withoutEndSlashes(endpoint)}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: own.merge(envDetectorSync.detect()),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    propagator: new W3CTraceContextPropagator(),
  });
  const tracing: Tracing = { inSpan };
  return {
    tracing,
    client: { workflow: [new OpenTelemetryWorkflowClientInterceptor()] },
    worker: {
      activity: [
        (context: ConstructorParameters<typeof OpenTelemetryActivityInboundInterceptor>[0]) => ({
          inbound: new OpenTelemetryActivityInboundInterceptor(context),
        }),
      ],
    },
    /** Sends the spans that have ended. */
    flush: () => provider.forceFlush(),
    async close(): Promise<void> {
      await Promise.race([
        provider.shutdown().catch(() => {}),
        sleep(LAST_SPANS_MS, undefined, { ref: false }),
      ]);
      for (const part of [otel.trace, otel.context, otel.propagation, otel.diag]) part.disable();
    },
  };
}

function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { kind, parent, links = [], attributes = {} } = options;
  const from = parent === undefined ? otel.context.active() : contextOf(parent);
  const given = { ...(kind && { kind: KINDS[kind] }), links: [...links].flatMap(linkTo), attributes };
  return otel.trace.getTracer('gdx').startActiveSpan(name, given, from, async (started) => {
    const span = ourSpan(started);
    try {
      return await work(span);
    } catch (error) {
      // The error's message may quote what was pushed.
      span.set({ 'error.type': error instanceof Error ? error.name : typeof error });
      span.fail();
      throw error;
    } finally {
      started.end();
    }
  });
}

function ourSpan(span: otel.Span): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags & otel.TraceFlags.SAMPLED ? '01' : '00'}`,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: () => void span.setStatus({ code: otel.SpanStatusCode.ERROR }),
  };
}

/** Text that is not a `traceparent` begins a trace of its own. */
const contextOf = (traceparent: string) =>
  otel.propagation.extract(otel.ROOT_CONTEXT, { traceparent }, otel.defaultTextMapGetter);

function linkTo(traceparent: string): otel.Link[] {
  const context = otel.trace.getSpanContext(contextOf(traceparent));
  return context ? [{ context }] : [];
}

function complaining(log: Logger): otel.DiagLogger {
  let next = 0;
  const complain = (...said: unknown[]) => {
    if (performance.now() < next) return;
    next = performance.now() + COMPLAIN_EVERY_MS;
    log.warn({ reason: said.join(' ').slice(0, 500) }, 'traces are not sent');
  };
  const ignore = () => {};
  // A warning may be that a collector has answered without a body.
  return { error: complain, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}
