// Compares what receiver.mjs or feed-to-table.py holds with what the service says it must hold, and mends it. Standard library
// only; the SQLite file of feed-to-table.py is read by the Python that has written it.
//   GDX_TOKEN=gdx_channel_... GDX_URL=https://grain.example HELD=held.json node compare.mjs acme tickets [--mend]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';

const { GDX_TOKEN = '', GDX_URL = '', HELD = 'held.json' } = process.env;
const [channel, type, mend] = process.argv.slice(2);
const TYPES = ['accounts', 'contracts', 'tickets', 'settlements'];
if (!channel || !TYPES.includes(type) || (mend && mend !== '--mend'))
  end(`GDX_TOKEN=... GDX_URL=... HELD=held.json node compare.mjs <channel> <${TYPES.join('|')}> [--mend]`);
if (!GDX_URL) end('set GDX_URL to the address of the service: the operator gave it to you with the key');
if (!GDX_TOKEN) end('set GDX_TOKEN to the key of your channel, gdx_channel_...: the operator gave it to you');
// Nothing would be there, and all of it be sent again.
if (!existsSync(HELD))
  end(
    `there is no ${HELD}; say by HELD= where receiver.mjs or feed-to-table.py keeps its records: held.json, feed.db`,
  );

// 1 is for differences alone.
process.on('uncaughtException', ({ message, cause }) =>
  end(cause ? `${message}: ${cause.message}` : message),
);

function end(why) {
  console.error(why);
  process.exit(2);
}

const MOST_IDS = 1_000; // of one resend
const MOST_RANGES = 2_000;
const TRIES = 10;

async function ask(path, body) {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${GDX_URL.replace(/\/$/, '')}/api/v1/channels/${channel}/${path}`, {
      method: 'POST',
      headers: { authorization: GDX_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return answer.json();
    const { code, message, validation_messages } = await answer.json();
    const wait = Number(answer.headers.get('retry-after'));
    if (!wait || tries === TRIES)
      throw new Error([`${code}: ${message}`, JSON.stringify(validation_messages)].join(' ').trimEnd());
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}

const DROP = `${HELD}.drop`;
const readDrop = () => (existsSync(DROP) ? JSON.parse(readFileSync(DROP, 'utf8')) : {});

/** What the receiver holds now: `updated_at` by id, without what it is to drop. */
function readHeld() {
  if (isSqlite()) return new Map(Object.entries(askSqlite([])));
  const held = new Map();
  const drop = readDrop()[type] ?? {};
  for (const [id, { updated_at }] of Object.entries(readJson().records?.[type] ?? {}))
    if (drop[id] !== updated_at) held.set(id, updated_at);
  return held;
}

function readJson() {
  try {
    return JSON.parse(readFileSync(HELD, 'utf8'));
  } catch {
    return end(
      `${HELD} is neither JSON nor SQLite; say by HELD= where receiver.mjs or feed-to-table.py keeps its records`,
    );
  }
}

/** Has the receiver drop these, unless they change before: a database is told at once, receiver.mjs with its next page. */
function dropThese(extra) {
  if (isSqlite()) return void askSqlite(extra);
  const drop = readDrop();
  for (const [id, updated_at] of extra) (drop[type] ??= {})[id] = updated_at;
  writeFileSync(`${DROP}.new`, JSON.stringify(drop), { flush: true });
  renameSync(`${DROP}.new`, DROP);
}

function isSqlite() {
  const head = Buffer.alloc(16);
  const file = openSync(HELD);
  readSync(file, head);
  closeSync(file);
  return head.toString('latin1') === 'SQLite format 3\0';
}

const SQLITE = `
import contextlib, json, sqlite3, sys
file, table, drop = json.load(sys.stdin)
with contextlib.closing(sqlite3.connect(file, timeout=20)) as db, db:
    is_there = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone()
    if is_there:
        db.executemany(f"DELETE FROM {table} WHERE id = ? AND updated_at = ?", drop)
    json.dump(dict(db.execute(f"SELECT id, updated_at FROM {table}") if is_there else []), sys.stdout)
`;

/** Deletes rows as [id, updated_at], and answers those that are there then. */
function askSqlite(drop) {
  const python = process.platform === 'win32' ? 'python' : 'python3';
  const input = JSON.stringify([HELD, type, drop]);
  try {
    return JSON.parse(execFileSync(python, ['-c', SQLITE], { input, maxBuffer: 2 ** 30 }));
  } catch (error) {
    return end(
      `${HELD} cannot be read by ${python} (${error.code ?? error.status}); it takes Python 3.8 or later`,
    );
  }
}

/** What is held in ranges of ids, by their bytes: the last id of each, and the hash of its lines. */
function rangesOf(held) {
  const sorted = [...held.keys()].map((id) => Buffer.from(id)).sort((one, other) => one.compare(other));
  const size = Math.max(1_000, Math.ceil(sorted.length / MOST_RANGES));
  const ranges = [];
  for (let from = 0; from === 0 || from < sorted.length; from += size) {
    const ids = sorted.slice(from, from + size).map(String);
    const hash = createHash('sha256');
    for (const id of ids) hash.update(`${id} ${held.get(id)}\n`);
    ranges.push({ ids, up_to: ids.at(-1), hash: hash.digest('hex') });
  }
  ranges.at(-1).up_to = null;
  return ranges;
}

/**
 * What differs in the listed ranges. What is held has to be read after they were answered.
 * @param before what was held before they were asked for: later than `as_of`, it is nothing that anybody can have sent
 */
function compare({ as_of, data }, ids, held, before) {
  const differences = [];
  const listed = new Set();
  const isLater = (id) => held.get(id) > as_of && held.get(id) !== before.get(id);
  for (const { id, updated_at: theirs, pending } of data) {
    listed.add(id);
    const ours = held.get(id);
    if (ours === theirs || isLater(id) || (pending && !(before.get(id) > as_of))) continue;
    differences.push({ what: ours ? 'altered' : 'missing', id, ours, theirs });
  }
  for (const id of ids)
    if (held.has(id) && !listed.has(id) && !isLater(id))
      differences.push({ what: 'extra', id, ours: held.get(id) });
  return differences;
}

async function findDifferences() {
  const before = readHeld();
  const ranges = rangesOf(before);
  const asked = ranges.map(({ up_to, hash }) => ({ up_to, hash }));
  const answer = await ask('digest', { entity_type: type, ranges: asked });
  const { as_of, records, pending, ranges: differing } = answer;
  console.log(
    `${records} ${type} as of ${as_of}, ${pending} pending: ${differing.length} of ${ranges.length} ranges differ`,
  );
  if (differing.length === 0) return [];
  const ids = differing.flatMap((index) => ranges[index].ids);
  return compare(answer, ids, readHeld(), before);
}

/** Gets what is missing or altered again, and has the receiver drop what is extra, or newer than it can be. */
async function mendThese(differences) {
  dropThese(
    differences.flatMap(({ what, id, ours, theirs }) =>
      what === 'extra' || ours > theirs ? [[id, ours]] : [],
    ),
  );
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
