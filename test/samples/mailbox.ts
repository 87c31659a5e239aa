import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page as a customer's code receives it. */
export interface Signed {
  id: string;
  timestamp: string;
  signature: string;
  body: Buffer;
}

/** An HTTP server that takes everything and keeps the last of it, byte by byte. */
export async function openMailbox() {
  let last: Signed | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      last = signed(request.headers, Buffer.concat(chunks));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    last: () => last!,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function signed(headers: IncomingHttpHeaders, body: Buffer): Signed {
  const header = (name: string) => String(headers[name]);
  return {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    body,
  };
}
