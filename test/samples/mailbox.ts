import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { serveHere } from '../setup/serve-here';

/** A page as a customer's code receives it. */
export interface Signed {
  id: string;
  timestamp: string;
  signature: string;
  body: Buffer;
}

/** The page of docs/signature.md to try code with: an old one, with its secret and its public key. */
export function guidesPage(): { page: Signed; secret: string; publicKey: string } {
  const guide = readFileSync(path.join(__dirname, '../../docs/signature.md'), 'utf8');
  const at = (name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(guide)![1]!;
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => at(`webhook-${name}`));
  const page = { id: id!, timestamp: timestamp!, signature: signature!, body: Buffer.from(at('body')) };
  return { page, secret: at('SIGNING_SECRET'), publicKey: at('PUBLIC_KEY') };
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
  return { url: (await serveHere(server)).url, last: () => last! };
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
