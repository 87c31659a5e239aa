import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A customer in a process of its own, who takes everything and answers 200 at once.
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit()); // whoever started it is gone
