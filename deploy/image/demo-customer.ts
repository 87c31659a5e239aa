import { createServer } from 'node:http';
import { environment } from '../../config';

// The demo's customer: says what it gets and confirms it. A real one checks the signature first (docs/customer.md).

const PORT = Number(new URL(environment['GDX_DEMO_CUSTOMER_URL'] ?? 'http://demo-customer:8090').port);

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'POST') say(request.headers['x-entity-type'], Buffer.concat(chunks));
  response.writeHead(204).end();
}).listen(PORT);

function say(type: string | string[] | undefined, body: Buffer): void {
  const { meta } = JSON.parse(body.toString()) as { meta: Record<string, number> };
  const { current_page: page, total_pages: pages, page_count: records } = meta;
  process.stdout.write(`${String(type)}: page ${page} of ${pages}, ${records} records\n`);
}

process.on('SIGTERM', () => process.exit(0));
