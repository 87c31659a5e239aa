import { once } from 'node:events';
import { request } from 'undici';
import type { Store } from '../../store/store';
import { openStore } from '../setup/open-store';
import { startService } from '../setup/processes';
import { startOwnMongo } from '../setup/start-own-mongo';
import { integrationToken } from './start-api';

const HEAP_MB = 512;
const PUSHES = 50;
const MIB = 1024 * 1024;

let mongo: Awaited<ReturnType<typeof startOwnMongo>>;
let uri: string;
let store: Store;
let tokens: string[];

beforeAll(async () => {
  mongo = await startOwnMongo(); // the other tests need the shared one
  uri = mongo.uri;
  store = await openStore(uri);
  // One a push: of one caller only 32 MiB are held at a time.
  tokens = await Promise.all(Array.from({ length: PUSHES }, () => integrationToken(store)));
});

const startSmallApi = () =>
  startService('api', {
    ...{ MONGODB_URI: uri, TEMPORAL_ADDRESS: '127.0.0.1:1' },
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  });

const account = (id: string, filling: string) => `{"id":"${id}","name":"Meyer Farms","extra":${filling}}`;

/** A push of about 10 MB. Its content decides how much memory the parsed body takes. */
const FILLINGS: [string, (push: number) => string][] = [
  [
    'text',
    (push) =>
      bodyOf(Array.from({ length: 500 }, (_, i) => account(`${push}-${i}`, `"${'x'.repeat(20_000)}"`))),
  ],
  ['three million empty lists', (push) => bodyOf([account(`${push}`, `[${'[],'.repeat(3_300_000)}[]]`)])],
];

const bodyOf = (accounts: string[]) => `{"data":[{"update-accounts":{"accounts":[${accounts.join(',')}]}}]}`;

// The second takes minutes on a slow stand-in for MongoDB: `npm run proof -- fuzz` has it.
test.each(process.env.GDX_FUZZ_INPUTS ? FILLINGS : FILLINGS.slice(0, 1))(
  `${PUSHES} pushes of 10 MB at once, full of %s, under ${HEAP_MB} MB of heap: 503s, no crash, every 204 stored`,
  async (_, fill) => {
    const { child, url } = await startSmallApi();
    await store.db.collection('accounts').deleteMany({});
    const exited = once(child, 'exit');
    const answers = await Promise.all(
      Array.from({ length: PUSHES }, async (_push, push) => {
        const body = fill(push);
        expect(body.length).toBeGreaterThan(9 * MIB);
        const headers = { authorization: tokens[push]!, 'content-type': 'application/json' };
        const answer = await request(`${url}/api/v1/push`, { method: 'POST', headers, body });
        await answer.body.dump();
        return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] };
      }),
    );
    const stored = answers.filter(({ status }) => status === 204).length;
    const refused = answers.filter(({ status }) => status === 503);
    const perPush = (fill(0).match(/"name"/g) ?? []).length;
    console.log(`204: ${stored}, 503: ${refused.length}, 408: ${PUSHES - stored - refused.length}`);
    // 408 on a slow machine: other bodies wait while one is parsed.
    expect(answers.filter(({ status }) => ![204, 408, 503].includes(status))).toEqual([]);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
    expect(stored).toBeGreaterThan(0);
    // A push answered 503 after 25 s may still have been stored; none of those answered 204 is missing.
    for (const push of answers.flatMap(({ status }, index) => (status === 204 ? [index] : []))) {
      const ids = { _id: new RegExp(`^42-${push}(-|$)`) as never };
      expect(await store.db.collection('accounts').countDocuments(ids)).toBe(perPush);
    }
    expect((await request(`${url}/readyz`)).statusCode).not.toBe(500);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
  300_000,
);
