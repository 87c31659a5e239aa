// A receiver of the feed that keeps it in PostgreSQL: a table for each entity type, a row for each record.
//   SIGNING_SECRET=whsec_... DATABASE_URL=postgres://user:password@host/database PORT=9000 node main.mjs
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { genuineBy } from '../genuine-by.mjs';
import { NoPage, openTables } from './keep-page.mjs';

const { SIGNING_SECRET = '', DATABASE_URL, PORT = '9000' } = process.env;
const MAX_BYTES = 32 * 1024 * 1024;
const FEED = /^(https?:\/\/[^/]+)?\/feed$/; // a proxy may write the whole address

const isGenuine = genuineBy(SIGNING_SECRET);
if (!DATABASE_URL) throw new Error('set DATABASE_URL: postgres://user:password@host/database');
const tables = openTables(DATABASE_URL);

async function take(request) {
  const { method, url, headers } = request;
  if (method === 'GET' || method === 'HEAD') return 200; // a proxy asks whether this is up
  if (method !== 'POST' || !FEED.test(url)) return 404;
  const body = await read(request);
  if (!body) return 413;
  if (!isGenuine(headers, body)) return 401;
  // The operator's test is told by its id, which is signed.
  if (!headers['webhook-id'].startsWith('test_'))
    await tables.keep((/gzip/i.test(headers['content-encoding']) ? unpack(body) : body).toString());
  return 204;
}

/** @returns undefined of more than it takes, which is read to its end, so that the answer arrives */
async function read(request) {
  let chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) chunks = [];
    else chunks.push(chunk);
  }
  return size > MAX_BYTES ? undefined : Buffer.concat(chunks);
}

function unpack(body) {
  try {
    return gunzipSync(body);
  } catch (error) {
    throw new NoPage(error.message);
  }
}

const server = createServer(async (request, response) => {
  const status = await take(request).catch((error) => {
    console.error(error.message);
    return error instanceof NoPage ? 400 : 503; // 503: the database is away, and the page comes again
  });
  console.log(status, request.headers['x-entity-type'] ?? '', request.headers['webhook-id'] ?? '');
  response.writeHead(status).end();
});
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`));

// The first process of a container ends only by what it does itself.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(() => tables.close());
    server.closeIdleConnections();
  });
