import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { renderPush } from '../../api/erp/post-push';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { pushWarnings } from '../../domain/records/push-warnings';
import { parseStrictJson } from '../../domain/records/strict-json';
import { validatePush } from '../../domain/records/validate-push';
import { closeStore } from '../../store/connect';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { COMPANY } from '../setup/push-records';
import { startService } from '../setup/processes';
import { MOST_CPU_MS, withCpuTime } from './cpu-time';
import { integrationToken } from './start-api';
import { inList, pushOfText, WORST_PUSHES, worstRecordOf } from './worst-pushes';

const MIB = 2 ** 20;
const HEAP_MB = 640; // deploy/kubernetes/base/api.yaml
const MOST_MB = 300;
const NAMES = Object.keys(WORST_PUSHES);

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
  const body = Buffer.from(WORST_PUSHES[name]!());
  expect(body.length).toBeLessThanOrEqual(16 * MIB);
  let [cpuMs, mostMs] = [Infinity, 0];
  for (let take = 0; take < 3 && cpuMs >= mostMs; take++) {
    cpuMs = await longestBlock(body);
    // Whatever else runs on a core adds to the CPU time of this. What no reader of JSON can go below tells by how much.
    const least = cpuMs < MOST_CPU_MS ? 0 : (await withCpuTime(async () => JSON.parse(String(body)))).cpuMs;
    mostMs = Math.max(MOST_CPU_MS, 1.5 * least);
  }
  console.log(`${name}: ${(body.length / MIB).toFixed(1)} MiB, ${Math.round(cpuMs)} ms`);
  expect(cpuMs).toBeLessThan(mostMs);
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
  `{"data":[{"update-accounts":{"accounts":[${worstRecordOf(inList(Array.from({ length: count }, () => item)), 1)}]}}]}`;

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
    await push(pushOfText('x'));
    let grew = 0;
    const answers: [string, number][] = [];
    for (const name of NAMES) {
      const before = resident('VmRSS'); // what earlier bodies have left is garbage that nothing has asked for yet
      answers.push([name, (await push(WORST_PUSHES[name]!())).status]);
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
