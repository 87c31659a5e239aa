// A receiver of the feed that runs as it stands: checks the signature, applies records idempotently, keeps them in a
// file, and answers only then. Needs genuine-by.mjs beside it, and the standard library.
//   SIGNING_SECRET=whsec_... PORT=9000 HELD=held.json node receiver.mjs
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { genuineBy } from './genuine-by.mjs';

const { SIGNING_SECRET = '', PORT = '9000', HELD = 'held.json' } = process.env;
const isGenuine = genuineBy(SIGNING_SECRET);
const IDS_KEPT = 10_000;
// A page names the type in each record, and the signature covers that. Headers are not signed.
const TYPES = { account: 'accounts', contract: 'contracts', ticket: 'tickets', settlement: 'settlements' };
const MAX_BYTES = 32 * 1024 * 1024;
const FEED = /^(https?:\/\/[^/]+)?\/feed$/; // a proxy may write the whole address

// records: by entity type, then by id. Deleted ones stay, so that an old page cannot bring them back.
const held = existsSync(HELD) ? JSON.parse(readFileSync(HELD, 'utf8')) : { ids: [], records: {} };

let isKept = true; // the file has what is held here

function apply({ data }) {
  for (const [kind, record] of data.map((wrapper) => Object.entries(wrapper)[0])) {
    if (!Object.hasOwn(TYPES, kind)) throw new Error(`records of the kind ${kind} are not known here`);
    const ofType = (held.records[TYPES[kind]] ??= {});
    const before = ofType[record.id];
    if (!before || record.updated_at >= before.updated_at) ofType[record.id] = record;
  }
}

/** A crash leaves the file of before or the new one, never half of one. */
function keep() {
  writeFileSync(`${HELD}.new`, JSON.stringify(held), { flush: true });
  renameSync(`${HELD}.new`, HELD);
  isKept = true;
}

/** What compare.mjs has found to be wrong here, unless it has changed since. */
function drop() {
  if (!existsSync(`${HELD}.drop`)) return;
  for (const [type, ids] of Object.entries(JSON.parse(readFileSync(`${HELD}.drop`, 'utf8'))))
    for (const [id, updated_at] of Object.entries(ids))
      if (held.records[type]?.[id]?.updated_at === updated_at) Reflect.deleteProperty(held.records[type], id);
  keep();
  rmSync(`${HELD}.drop`);
}

function answer(request, body) {
  const { method, url, headers } = request;
  if (method === 'GET' || method === 'HEAD') return 200; // a proxy asks whether this is up
  if (method !== 'POST' || !FEED.test(url)) return 404;
  if (!isGenuine(headers, body)) return 401;
  drop();
  if (headers['webhook-id'].startsWith('test_')) return 200; // the operator's test: the id is signed
  if (!held.ids.includes(headers['webhook-id'])) {
    isKept = false;
    apply(JSON.parse(/gzip/i.test(headers['content-encoding']) ? gunzipSync(body) : body));
    held.ids = [...held.ids, headers['webhook-id']].slice(-IDS_KEPT);
  }
  if (!isKept) keep();
  return 200;
}

drop();
const server = createServer((request, response) => {
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) =>
    (size += chunk.length) > MAX_BYTES ? request.destroy() : chunks.push(chunk),
  );
  request.on('end', () => {
    let status = 503; // a disk that is full: the page comes again
    try {
      status = answer(request, Buffer.concat(chunks));
    } catch (error) {
      console.error(error.message);
    }
    console.log(status, request.headers['x-entity-type'] ?? '', request.headers['webhook-id'] ?? '');
    response.writeHead(status).end();
  });
});
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`));
