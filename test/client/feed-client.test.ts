import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFeedClient } from '../../client/listen/feed-client';

// A proxy, or another service, answers in place of ours.
test.each<[status: number, body: unknown, said: string]>([
  [200, { data: [{ entity_type: 'invoices' }] }, 'the service: answered 200'],
  [200, null, 'the service: answered 200'],
  [403, { message: { text: 'no' } }, 'the service: answered 403'],
  [403, { message: 'no', request_id: 'r-1' }, 'the service: no (request r-1)'],
])('an answer %i with %j is an error that names it', async (status, body, said) => {
  const server = createServer((_, res) => res.writeHead(status).end(JSON.stringify(body)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = { url: `http://127.0.0.1:${port}`, token: 't', retryForMs: 0, onWait: () => undefined };
  try {
    await expect(createFeedClient('acme', settings).entityTypes()).rejects.toThrow(new Error(said));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
