import { createServer, type Server } from 'node:http';
import { eventually } from '../setup/eventually';
import { serveHere } from '../setup/serve-here';

/** A span as a collector gets it, with plain attributes. */
export interface ReceivedSpan {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  /** 2 is an error. */
  status: number;
}

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type Attributes = { key: string; value: Value }[];
interface Exported {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: (Pick<ReceivedSpan, 'name' | 'kind' | 'traceId' | 'spanId' | 'links'> & {
        parentSpanId?: string;
        attributes: Attributes;
        status?: { code?: number };
      })[];
    }[];
  }[];
}

/** A real HTTP server on loopback that takes traces as a collector does (OTLP/HTTP, JSON). */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** All that it was sent, as it was written. */
  written = '';
  url = '';
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isOurs = request.method === 'POST' && request.url === '/v1/traces';
      if (isOurs) this.take(Buffer.concat(chunks).toString());
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.url = (await serveHere(receiver.server)).url;
    return receiver;
  }

  /** The first span that fits, as soon as it is there. */
  async got(name: string, fits: (span: ReceivedSpan) => boolean = () => true): Promise<ReceivedSpan> {
    return eventually(async () => {
      const found = this.spans.find((span) => span.name === name && fits(span));
      if (!found) throw new Error(`no ${name} among ${this.spans.map((span) => span.name).join(', ')}`);
      return found;
    });
  }

  private take(text: string): void {
    this.written += text;
    const { resourceSpans } = JSON.parse(text) as Exported;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          service: String(plain(resource.attributes)['service.name']),
          parentSpanId: span.parentSpanId,
          attributes: plain(span.attributes),
          links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
          status: span.status?.code ?? 0,
        });
  }
}

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));
