import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A customer in a process of its own, who takes everything and answers 200: at once, below /after/50 after 50 ms.
const server = createServer((request, response) => {
  const delayMs = Number(/^\/after\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  request.resume();
  request.on('end', () => (delayMs ? setTimeout(() => response.end(), delayMs) : response.end()));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit()); // whoever started it is gone
