import type { IncomingMessage, Server } from 'node:http';

/** The next request of a server, once the service begins to read its body: what it looks up before is known by then. */
export const bodyWanted = (server: Server): Promise<IncomingMessage> =>
  new Promise((wanted) =>
    server.prependOnceListener('request', (request: IncomingMessage) =>
      request.on('newListener', (event) => /^(data|readable)$/.test(String(event)) && wanted(request)),
    ),
  );
