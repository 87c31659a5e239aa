import type { ClientSession } from 'mongodb';
import { pingStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { eventually } from '../setup/eventually';
import { openStoreAt } from '../setup/open-store-at';
import { startOwnMongo } from '../setup/start-own-mongo';
import {
  accounts,
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type ApiAnswer,
} from './start-api';

let mongo: Awaited<ReturnType<typeof startOwnMongo>>;
let store: Store;

const freeze = (signal: 'SIGSTOP' | 'SIGCONT') => process.kill(mongo.part.pid!, signal);

beforeAll(async () => {
  mongo = await startOwnMongo();
  store = await openStoreAt(mongo.uri, { asInProduction: true });
});

/** Freezes MongoDB during a push, while its transaction holds the counter. */
function freezeAtNextCommit(): Promise<void> {
  const withSession = store.client.withSession.bind(store.client) as (run: unknown) => Promise<never>;
  return new Promise((frozen) => {
    jest.spyOn(store.client, 'withSession').mockImplementationOnce((run) =>
      withSession((session: ClientSession) => {
        const commit = session.commitTransaction.bind(session);
        session.commitTransaction = () => {
          freeze('SIGSTOP');
          frozen();
          return commit();
        };
        return (run as (session: ClientSession) => unknown)(session);
      }),
    );
  });
}

async function timed(asking: Promise<ApiAnswer>): Promise<ApiAnswer & { seconds: number }> {
  const began = performance.now();
  const answer = await asking;
  return { ...answer, seconds: (performance.now() - began) / 1000 };
}

test('MongoDB frozen, as by SIGSTOP: every request is answered in its time, and is good again afterwards', async () => {
  const api = await startApi({ store });
  const token = await integrationToken(store);
  const key = await channelKey(store, 'acme');
  const push = (id: string) =>
    api.ask('POST', '/api/v1/push', { token, headers: { 'x-request-id': id }, body: pushOf(accounts(1)) });
  expect((await push('before')).status).toBe(204);
  const frozen = freezeAtNextCommit();
  const changed = pushOf([{ id: '1001', name: 'Meyer Farms and Sons' }]);
  const begun = timed(
    api.ask('POST', '/api/v1/push', { token, headers: { 'x-request-id': 'begun' }, body: changed }),
  );
  await frozen;

  const [ready, fresh, markers] = await Promise.all([
    timed(api.ask('GET', '/readyz')),
    timed(push('after')),
    timed(api.ask('GET', '/api/v1/channels/acme/markers', { token: key })),
  ]);
  expect([ready.status, ready.json.parts.mongodb.status]).toEqual([503, 'down']);
  expect(ready.seconds).toBeLessThan(6);
  for (const answer of [fresh, markers]) expectError(answer, 503, 'UNAVAILABLE');
  expect(markers.seconds).toBeLessThan(13);
  // Its token is still known, so it waits for its own turn, as docs/contract.md E11 says.
  expect(fresh.seconds).toBeLessThan(30);
  const late = await begun;
  expectError(late, 503, 'UNAVAILABLE');
  expect(late.seconds).toBeLessThan(40);

  freeze('SIGCONT');
  await eventually(() => pingStore(store));
  // As an ERP does: the transaction that was cut off may hold the counter until MongoDB ends it.
  const again = await eventually(async () => {
    const answer = await timed(
      api.ask('POST', '/api/v1/push', { token, headers: { 'x-request-id': 'begun' }, body: changed }),
    );
    expect(answer.status).toBe(204);
    return answer;
  }, 120_000);
  await api.stop();
  expect(await store.db.collection('accounts').countDocuments()).toBe(1);
  console.log(`seconds: ${[ready, fresh, markers, late, again].map((a) => a.seconds.toFixed(1)).join(' ')}`);
});
