import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { count } from '../domain/count';
import type { EntityType } from '../domain/entity-types';
import { CustomerRecords } from './customer-records';
import type { HeldRecord, News, Order, PageSeen } from './customer-messages';
import { green, red, say } from './terminal';

// A customer's system, in a process of its own: it takes pages on loopback as the customer's guide says.

const name = process.argv[2]!;
const records = new CustomerRecords();
const signatures = { verified: 0, wrong: 0 };
let trust: (order: Extract<Order, { do: 'trust' }>) => void;
const trusted = new Promise<Extract<Order, { do: 'trust' }>>((resolve) => (trust = resolve));

interface Page {
  data: Record<string, HeldRecord>[];
  meta: { current_page: number; total_pages: number; page_count: number };
}

const server = createServer(async (request, response) => {
  const began = Date.now();
  const type = String(request.headers['x-entity-type']) as EntityType;
  const body = await bodyOf(request);
  const page = verified(body, request, await trusted);
  if (page)
    records.apply(
      type,
      page.data.map((wrapper) => Object.values(wrapper)[0]!),
    );
  response.writeHead(page ? 204 : 401).end();
  const seen: PageSeen = {
    entity_type: type,
    page: page?.meta.current_page ?? 0,
    pages: page?.meta.total_pages ?? 0,
    records: page?.data.length ?? 0,
    status: response.statusCode,
    ms: Date.now() - began,
    delivery: String(request.headers['x-delivery-id']),
  };
  show(seen);
  tell({ seen });
});

/** The page if its signature, its key and its own count of records hold. */
function verified(
  body: Buffer,
  { headers }: IncomingMessage,
  from: Awaited<typeof trusted>,
): Page | undefined {
  try {
    const page = new Webhook(from.signingSecret).verify(body, headers as Record<string, string>) as Page;
    if (headers.authorization !== from.authorization) throw new Error('another key');
    if (page.meta.page_count !== page.data.length) throw new Error('another number of records');
    signatures.verified += 1;
    return page;
  } catch {
    signatures.wrong += 1;
    return undefined;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function show({ entity_type, page, pages, records: amount, status, ms }: PageSeen): void {
  const what = `${entity_type.padEnd(11)} page ${page} of ${pages}  ${count(amount, 'record').padStart(13)}`;
  const holds = status === 204 ? green('signature holds') : red('signature or key wrong');
  say(`   ${name} <- ${what}  answered ${status} in ${String(ms).padStart(3)} ms  ${holds}`);
}

async function obey(order: Order): Promise<void> {
  if (order.do === 'trust') trust(order);
  if (order.do === 'go down') await goDown();
  if (order.do === 'come up') await listen(port);
  if (order.do === 'lose') records.lose(order.entity_type, order.since);
  tell({ done: order.do === 'report' ? { ...records.report(), signatures } : null });
}

let port = 0;

async function listen(on: number): Promise<void> {
  server.listen(on, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
}

/** Connections are refused until it comes up again. */
async function goDown(): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function tell(news: News): void {
  process.send?.(news);
}

process.on('SIGINT', () => undefined); // Ctrl-C is for the demo, which ends this process
process.on('disconnect', () => process.exit(0));
process.on('message', (order: Order) => void obey(order));
void listen(0).then(() => tell({ port }));
