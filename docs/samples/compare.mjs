// Compares what receiver.mjs holds with what the service says it must hold, and mends it. Standard library only.
//   GDX_TOKEN=gdx_channel_... GDX_URL=https://grain.example HELD=held.json node compare.mjs acme tickets [--mend]
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const { GDX_TOKEN = '', GDX_URL = '', HELD = 'held.json' } = process.env;
const [channel, type, mend] = process.argv.slice(2);
if (!GDX_TOKEN || !GDX_URL || !channel || !type || (mend && mend !== '--mend')) {
  console.error('GDX_TOKEN=... GDX_URL=... HELD=held.json node compare.mjs <channel> <entity type> [--mend]');
  process.exit(2);
}
const MOST_IDS = 1_000; // of one resend
const TRIES = 10;

async function ask(path, body) {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${GDX_URL.replace(/\/$/, '')}/api/v1/channels/${channel}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: GDX_TOKEN, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (answer.ok) return answer.json();
    const { code, message, validation_messages = '' } = await answer.json();
    const wait = Number(answer.headers.get('retry-after'));
    if (!wait || tries === TRIES)
      throw new Error(`${code}: ${message} ${JSON.stringify(validation_messages)}`);
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}
const askDigest = () => ask(`digest?entity_type=${type}`);
const askBuckets = (buckets) => ask(`digest?entity_type=${type}&bucket=${buckets.join(',')}`);

const DROP = `${HELD}.drop`;
const readDrop = () => (existsSync(DROP) ? JSON.parse(readFileSync(DROP, 'utf8')) : {});

/** What the receiver holds now: `updated_at` by id, without what it is to drop. */
function readHeld() {
  const held = new Map();
  const drop = readDrop()[type] ?? {};
  const records = existsSync(HELD) ? (JSON.parse(readFileSync(HELD, 'utf8')).records[type] ?? {}) : {};
  for (const [id, { updated_at }] of Object.entries(records))
    if (drop[id] !== updated_at) held.set(id, updated_at);
  return held;
}

const bucketOf = (id) => createHash('sha256').update(id).digest('hex').slice(0, 2);

/** As the service hashes its own: lines in the order of the ids' bytes, without what has changed since. */
function hashesOf(held, asOf) {
  const lines = new Map();
  for (const [id, updatedAt] of held) {
    if (updatedAt > asOf) continue;
    const bucket = bucketOf(id);
    if (!lines.has(bucket)) lines.set(bucket, []);
    lines.get(bucket).push([Buffer.from(id), `${id} ${updatedAt}\n`]);
  }
  const hashes = new Map();
  for (const [bucket, ofBucket] of lines) {
    const hash = createHash('sha256');
    for (const [, line] of ofBucket.sort(([one], [other]) => one.compare(other))) hash.update(line);
    hashes.set(bucket, hash.digest('hex'));
  }
  return hashes;
}

const OF_NOTHING = createHash('sha256').digest('hex');

/**
 * Compares these buckets. What is held has to be read after the listing was answered.
 * @param impossible what was held before the digest was asked for, and is later than it: nobody can have sent that
 */
function compare({ as_of, data }, buckets, held, impossible) {
  const differences = [];
  const listed = new Set();
  const isLater = (id) => held.get(id) > as_of && held.get(id) !== impossible.get(id);
  for (const { id, updated_at: theirs, pending } of data) {
    listed.add(id);
    const ours = held.get(id);
    if (ours === theirs || isLater(id) || (pending && !impossible.has(id))) continue;
    differences.push({ what: ours ? 'altered' : 'missing', id, ours, theirs });
  }
  for (const [id, ours] of held)
    if (!listed.has(id) && !isLater(id) && buckets.has(bucketOf(id)))
      differences.push({ what: 'extra', id, ours });
  return differences;
}

async function findDifferences() {
  const before = readHeld();
  const { as_of, records, pending, buckets } = await askDigest();
  const impossible = new Map([...before].filter(([, updatedAt]) => updatedAt > as_of));
  const hashes = hashesOf(readHeld(), as_of);
  const differing = buckets.filter(({ bucket, hash }) => (hashes.get(bucket) ?? OF_NOTHING) !== hash);
  const named = new Set([...differing.map(({ bucket }) => bucket), ...[...impossible.keys()].map(bucketOf)]);
  console.log(
    `${records} ${type} as of ${as_of}, ${pending} pending: looking into ${named.size} of 256 buckets`,
  );
  if (named.size === 0) return [];
  const listing = await askBuckets([...named]);
  return compare(listing, named, readHeld(), impossible);
}

/** Gets what is missing or altered again, and has the receiver drop what is extra, or newer than it can be. */
async function mendThese(differences) {
  const drop = readDrop();
  for (const { what, id, ours, theirs } of differences)
    if (what === 'extra' || ours > theirs) (drop[type] ??= {})[id] = ours;
  writeFileSync(`${DROP}.new`, JSON.stringify(drop), { flush: true });
  renameSync(`${DROP}.new`, DROP);
  const ids = differences.filter(({ what }) => what !== 'extra').map(({ id }) => id);
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const asked = { entity_type: type, ids: ids.slice(from, from + MOST_IDS) };
    const { records, unknown, starts } = await ask('resend', asked);
    console.log(`${records} ${type} are sent again (${starts}), ${unknown.length} are not yours any more`);
  }
}

const differences = await findDifferences();
for (const { what, id, ours = '-', theirs = '-' } of differences)
  console.log(`${what.padEnd(8)} ${id}  here ${ours}  there ${theirs}`);
console.log(differences.length === 0 ? 'no differences' : `${differences.length} differences`);
if (mend && differences.length > 0) await mendThese(differences);
else if (differences.length > 0) process.exitCode = 1;
