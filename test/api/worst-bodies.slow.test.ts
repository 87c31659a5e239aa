import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { renderPush } from '../../api/erp/post-push';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { pushWarnings } from '../../domain/push-warnings';
import { parseStrictJson } from '../../domain/strict-json';
import { validatePush } from '../../domain/validate-push';
import { closeStore } from '../../store/connect';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { startService } from '../setup/processes';
import { MOST_CPU_MS, withCpuTime } from './cpu-time';
import { integrationToken } from './start-api';

const MIB = 2 ** 20;
const MOST_BYTES = 16 * MIB - 1_000;
const MOST_OF_TEXT = 15 * MIB - 10_000; // of one record
const HEAP_MB = 640; // deploy/kubernetes/base/api.yaml
const MOST_MB = 300;
// docs/contract.md A7, and a few for the record itself
const VALUES_OF_RECORD = 100_000 - 20;
const VALUES = 1_000_000 - 200;

/** A push of records that have this in a field nobody knows, `items` by `items`, as long as the limits and 16 MiB allow. */
function pushOf(item: (index: number) => string, valuesOfItem: number, fieldOf = inList): string {
  const items = Math.floor(VALUES_OF_RECORD / valuesOfItem);
  const records: string[] = [];
  for (let bytes = 0; records.length < Math.floor(VALUES / (items * valuesOfItem));) {
    const from = records.length * items;
    const record = fieldOf(Array.from({ length: items }, (_, index) => item(from + index)));
    bytes += record.length + 1;
    if (bytes > MOST_BYTES) break;
    records.push(record);
  }
  return `{"data":[{"update-accounts":{"accounts":[${records.map(recordOf).join(',')}]}}]}`;
}
const recordOf = (field: string, index: number) => `{"id":"${index}","name":"M",${field}}`;
const inList = (items: string[]) => `"x":[${items.join(',')}]`;
const inObjects = (items: string[]) =>
  inList(
    Array.from(
      { length: Math.floor(items.length / 1_000) },
      (_, of) => `{${items.slice(of * 1_000, of * 1_000 + 1_000).join(',')}}`,
    ),
  );
const word = (index: number) => index.toString(36);
const ofBytes = (text: string) =>
  `{"data":[{"update-accounts":{"accounts":[${recordOf(`"x":"${text}"`, 1)}]}}]}`;

const SHAPES: Record<string, () => string> = {
  objects: () => pushOf(() => '{}', 2),
  'objects of other members each': () => pushOf((index) => `{"${word(index)}":1}`, 2),
  lists: () => pushOf(() => '[]', 2),
  'deep lists': () => pushOf(() => `${'['.repeat(20)}${']'.repeat(20)}`, 21),
  'deep objects': () => pushOf(() => `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`, 21),
  members: () => pushOf((index) => `"${word(index)}":0`, 1, inObjects),
  'short texts': () => pushOf((index) => `"${word(index)}"`, 1),
  numbers: () => pushOf(() => '1.5', 1),
  'long numbers': () => pushOf(() => '9007199254740992', 1),
  'numbers with exponents': () => pushOf(() => '1.00000000000e308', 1),
  escapes: () => ofBytes('\\u0001'.repeat(MOST_OF_TEXT / 6)),
  'pairs of surrogates': () => ofBytes('\\ud83d\\ude00'.repeat(MOST_OF_TEXT / 12)),
  'one text': () => ofBytes('x'.repeat(MOST_OF_TEXT)),
  phones: () =>
    pushOf(
      (index) => `{"phone":"${7_010_000_000 + index}"}`,
      2,
      (items) => `"phones":[${items.join(',')}]`,
    ),
  'fields that may be misspelt': () =>
    `{"data":[{"update-tickets":{"tickets":[${Array.from({ length: 1_000 }, (_, record) => `{"id":"${record}","account_id":"A",${Array.from({ length: 900 }, (_, index) => `"net_wi${word(record * 900 + index)}":1`).join(',')}}`).join(',')}]}}]}`,
  'many records': () =>
    `{"data":[{"update-accounts":{"accounts":[${Array.from({ length: 5_000 }, (_, index) => recordOf(inList(Array.from({ length: 97 }, () => '{}')), index)).join(',')}]}}]}`,
};
const NAMES = Object.keys(SHAPES);

/** The largest CPU time of one of the steps that nothing of others comes in between. */
async function longestBlock(body: Buffer): Promise<number> {
  let longest = 0;
  const step = async <T>(act: () => T): Promise<T> => {
    const { result, cpuMs } = await withCpuTime(async () => act());
    longest = Math.max(longest, cpuMs);
    return result;
  };
  const parsed = await step(() => parseStrictJson(body));
  const checked = await step(() => validatePush(parsed));
  if (!checked.ok) throw new Error(JSON.stringify(checked.messages));
  await step(() => pushWarnings(parsed));
  const records = await step(() => renderPush(checked.push, COMPANY));
  for (const type of ENTITY_TYPES) for (const one of records[type].slice(250)) void one.rendered;
  return longest;
}

test.each(NAMES)('a push of %s, as large as may be: no step takes a second', async (name) => {
  const body = Buffer.from(SHAPES[name]!());
  expect(body.length).toBeLessThanOrEqual(16 * MIB);
  const cpuMs = await longestBlock(body);
  console.log(`${name}: ${(body.length / MIB).toFixed(1)} MiB, ${Math.round(cpuMs)} ms`);
  expect(cpuMs).toBeLessThan(MOST_CPU_MS);
});

const PAST: [name: string, body: () => string, message: RegExp][] = [
  ['objects', () => `{"data":[${'{},'.repeat((16 * MIB) / 3 - 10)}{}]}`, /more than 1000000 values/],
  ['lists in one record', () => ofList('[]', 120_000), /more than 100000 values in one record/],
  [
    'members',
    () => `{"data":{${Array.from({ length: 1_001 }, (_, index) => `"${index}":0`).join(',')}}}`,
    /more than 1000 members/,
  ],
];
const ofList = (item: string, count: number) =>
  `{"data":[{"update-accounts":{"accounts":[${recordOf(inList(Array.from({ length: count }, () => item)), 1)}]}}]}`;

test(`under ${HEAP_MB} MB of heap: each is answered, what is past the limits 400, and nothing takes ${MOST_MB} MB`, async () => {
  const uri = newDatabaseUri();
  const store = await openStore(uri);
  const { child, end, url } = await startService('api', {
    MONGODB_URI: uri,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  });
  const resident = (of: 'VmRSS' | 'VmHWM') =>
    Number(new RegExp(`${of}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) /
    1024;
  const push = async (body: string) => {
    const headers = {
      authorization: await integrationToken(store), // of one caller the minute is soon used up
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const answer = await request(`${url}/api/v1/push?dry_run=true`, {
      method: 'POST',
      headers,
      body: gzipSync(body),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  try {
    await push(ofBytes('x'));
    let grew = 0;
    const answers: [string, number][] = [];
    for (const name of NAMES) {
      const before = resident('VmRSS'); // what earlier bodies have left is garbage that nothing has asked for yet
      answers.push([name, (await push(SHAPES[name]!())).status]);
      grew = Math.max(grew, resident('VmHWM') - before);
    }
    expect(answers).toEqual(NAMES.map((name) => [name, 200]));
    for (const [name, body, message] of PAST)
      expect([name, await push(body())]).toEqual([
        name,
        { status: 400, text: expect.stringMatching(message) },
      ]);
    console.log(`grew by ${Math.round(grew)} MB at most`);
    expect(grew).toBeLessThan(MOST_MB);
  } finally {
    expect(await end()).toBe(0);
    await closeStore(store);
  }
});
