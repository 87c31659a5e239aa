import pg from 'pg';

const TABLES = { account: 'accounts', contract: 'contracts', ticket: 'tickets', settlement: 'settlements' };
// An updated_at is compared as text, byte by byte, whatever the language of the database.
const COLUMNS =
  'id text PRIMARY KEY, updated_at text COLLATE "C" NOT NULL, deleted_at text, record jsonb NOT NULL';
const CREATE = [
  "SELECT pg_advisory_xact_lock(hashtext('gdx-postgres-receiver'))", // two receivers may start at once
  ...Object.values(TABLES).map((table) => `CREATE TABLE IF NOT EXISTS ${table} (${COLUMNS})`),
].join(';\n');
// In the order of the ids, so that two pages at once never wait for each other.
const upsertInto = (table) => `
  INSERT INTO ${table} AS held (id, updated_at, deleted_at, record)
  SELECT DISTINCT ON (id) record->>'id' AS id, record->>'updated_at', record->>'deleted_at', record
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS page (record, place)
  ORDER BY id, record->>'updated_at' COLLATE "C" DESC, place DESC
  ON CONFLICT (id) DO UPDATE
  SET updated_at = excluded.updated_at, deleted_at = excluded.deleted_at, record = excluded.record
  WHERE excluded.updated_at >= held.updated_at`;

const CONNECT_MS = 5_000;
const STATEMENT_MS = 15_000; // the service waits for an answer for 30 s
const UNDEFINED_TABLE = '42P01';
const DATA_EXCEPTION = /^22/;

/** Signed, and yet nothing that can be kept. */
export class NoPage extends Error {}

/** @param url `postgres://user:password@host/database` */
export function openTables(url) {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 1_000, // of a database that does not even say so
  });
  pool.on('error', (error) => console.error(error.message)); // a connection at rest: the next page gets another
  return {
    /**
     * All of a page or nothing: has committed when it returns. A page that comes twice changes nothing.
     * @throws NoPage; every other error is the database's, and the page may come again
     */
    async keep(text) {
      const { table, records } = readPage(text);
      if (records.length === 0) return;
      const upsert = () => pool.query(upsertInto(table), [JSON.stringify(records)]);
      try {
        await upsert().catch(async (error) => {
          if (error.code !== UNDEFINED_TABLE) throw error;
          await pool.query(CREATE);
          await upsert();
        });
      } catch (error) {
        throw DATA_EXCEPTION.test(error.code) ? new NoPage(error.message) : error;
      }
    },
    close: () => pool.end(),
  };
}

function readPage(text) {
  const { data } = parse(text) ?? {};
  if (!Array.isArray(data)) throw new NoPage('no list "data"');
  const kinds = new Set(data.flatMap((wrapper) => Object.keys(wrapper ?? {})));
  const [kind] = kinds;
  if (data.length === 0) return { records: [] };
  if (kinds.size !== 1 || !Object.hasOwn(TABLES, kind)) throw new NoPage(`kinds ${[...kinds]}`);
  const records = data.map((wrapper) => wrapper?.[kind]);
  if (!records.every(isRecord)) throw new NoPage('a record without id, updated_at or deleted_at');
  return { table: TABLES[kind], records };
}

function parse(text) {
  try {
    // PostgreSQL has no place for the character 0; a receiver that refused it would never get that record.
    return JSON.parse(text.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd'));
  } catch (error) {
    throw new NoPage(error.message);
  }
}

const isText = (value) => typeof value === 'string' && value !== '';
const isRecord = (record) =>
  isText(record?.id) &&
  isText(record.updated_at) &&
  (record.deleted_at === null || isText(record.deleted_at));
