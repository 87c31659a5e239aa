import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forwardPage } from '../../cli/listen/forward-page';

const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1',
  'webhook-signature': 'v1,x',
  'x-channel-slug': 'acme',
  'x-entity-type': 'tickets',
  'x-delivery-id': 'd',
  'x-feed-epoch': 'e',
  'x-request-id': 'r',
};
const page = {
  id: 'msg_1',
  entityType: 'tickets' as const,
  headers: { ...HEADERS, 'set-cookie': 'ours', connection: 'close' },
  body: Buffer.from('{"data":[]}'),
};

test('a receiver gets what the service would post, and only its own 2xx confirms', async () => {
  const asked: IncomingMessage[] = [];
  const statuses = [200, 302, 404];
  const server = createServer((req, res) => {
    asked.push(req);
    req.resume();
    res.writeHead(req.url === '/feed' ? statuses.shift()! : 200, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const forward = async () => (await forwardPage({ url, authorization: 'Bearer k' }, page)).isConfirmed;
  expect([await forward(), await forward(), await forward()]).toEqual([true, false, false]);
  expect(asked.map((one) => one.url)).toEqual(['/feed', '/feed', '/feed']);
  expect(asked[0]!.headers).toMatchObject({ ...HEADERS, authorization: 'Bearer k' });
  expect(asked[0]!.headers).not.toHaveProperty('set-cookie');
  server.close();
});
