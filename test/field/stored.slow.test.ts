import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { storedOf } from '../api/stored-of';
import { startPushing } from '../client/start-pushing';
import { asStored, byId, CASES, comparable, type FieldFile, LAYOUTS } from './read-field';

// Each file is pushed, each record alone and all in a request, and again: it is stored as what it means, and the second time
// changes nothing.

type Fields = Record<string, unknown>;

let api: Api;
let token: string;
beforeEach(async () => {
  api = await startApi({ limits: { requestsPerMinute: 1e9 } });
  token = await integrationToken(api.store);
});

/** What stands in the database, in the names of a push. */
async function recordsOf(type: FieldFile['type']): Promise<Fields[]> {
  const documents = await api.store.db.collection<{ wire: Buffer }>(type).find().toArray();
  return documents.map(({ wire }) => {
    const shown = JSON.parse(wire.toString()) as Record<string, Fields>;
    const { remote_id: id, company: _, updated_at: __, ...record } = Object.values(shown)[0]!;
    const kept = Object.entries(asPushed(record) as Fields).filter(([, value]) => value !== null);
    return asStored({ ...Object.fromEntries(kept), id });
  });
}

/** A reference is fed as both ids; the ERP's own is the one that was pushed. */
function asPushed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPushed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Fields).map(([name, member]) => {
      const { remote_id } = (member ?? {}) as Fields;
      return remote_id === undefined ? [name, asPushed(member)] : [`${name}_id`, remote_id];
    }),
  );
}

/** What the service adds is compared where the file says it. */
function comparedWith(stored: Fields[], expected: Fields[]): unknown[] {
  return byId(stored).map((record, index) => {
    const { created_at, deleted_at, ...rest } = record;
    const said = byId(expected)[index] ?? {};
    const deleted =
      deleted_at === undefined ? {} : { deleted_at: said['deleted_at'] === '*' ? '*' : deleted_at };
    return comparable({ ...rest, ...deleted, ...(said['created_at'] !== undefined && { created_at }) });
  });
}

/** An ERP that has this file. */
function erpWith({ file, mapping }: FieldFile, text: Buffer = readFileSync(file)) {
  const erp = startPushing(`http://127.0.0.1:${api.port}`, token);
  const copy = erp.at(path.basename(file));
  writeFileSync(copy, text);
  return async (...args: string[]) => {
    const { code, out, err } = await erp.push(copy, '--mapping', mapping, '--json', ...args);
    const [outcome] = code === 0 ? (JSON.parse(out) as { data: Fields[] }).data : [];
    return { code, err, outcome };
  };
}

async function isStored(one: FieldFile, records: Fields[], text?: Buffer): Promise<void> {
  const push = erpWith(one, text);
  const said = byId(records).map(comparable);
  for (const [args, changed] of [
    [['--batch', '1'], records.length],
    [['--batch', '5000'], 0],
    [['--batch', '1', '--again'], 0],
  ] as const) {
    const { code, err, outcome } = await push(...args);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    expect(outcome).toMatchObject({ records: records.length, changed });
    expect(comparedWith(await recordsOf(one.type), records)).toEqual(said);
  }
}

test.each(LAYOUTS)('$name', async (one) => {
  await isStored(one, one.records!);
  api = await startApi({ limits: { requestsPerMinute: 1e9 } });
  token = await integrationToken(api.store);
  await erpWith(one)('--batch', '5000');
  expect(comparedWith(await recordsOf(one.type), one.records!)).toEqual(byId(one.records!).map(comparable));
});

test.each(CASES)('$name', async (one) => {
  const { type, before, records, refused, or_refused, without_line_4 } = one;
  if (before) {
    const body = { data: [{ [`update-${type}`]: { [type]: before } }] };
    expect((await api.ask('POST', '/api/v1/push', { token, body })).status).toBe(204);
  }
  const isRefused = refused ?? (or_refused && (await erpWith(one)('--dry-run')).code !== 0);
  if (!isRefused) await isStored(one, records!);
  else {
    const nothing = await storedOf(api.store);
    const { code, outcome } = await erpWith(one)();
    expect([[1, 2].includes(code), outcome]).toEqual([true, undefined]); // 2: the mapping is refused
    expect(await storedOf(api.store)).toEqual(nothing);
  }
  if (!without_line_4) return;
  const lines = readFileSync(one.file, 'latin1').split('\n');
  await isStored(
    one,
    without_line_4,
    Buffer.from([...lines.slice(0, 3), ...lines.slice(4)].join('\n'), 'latin1'),
  );
});
