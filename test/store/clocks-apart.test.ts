import { createSharedLimiter } from '../../api/limits/shared-limiter';
import { listActions, openAction } from '../../store/callers/operator-actions';
import { findOperatorSession, openOperatorSession } from '../../store/sessions/page-sessions';
import { findFarmerSession, openFarmerSession } from '../../store/sessions/farmer-sessions';
import { hasLiveCode, newSignInCode } from '../../store/codes/sign-in-codes';
import { liveLinkKeys, newLinkKey } from '../../store/secrets/link-keys';
import { DatabaseClock } from '../../store/database-clock';
import type { Store } from '../../store/store';
import { addOperator } from '../../store/callers/operators';
import { timeNow } from '../../domain/time/elapsed';
import { earlyInTheMinute } from '../setup/early-in-the-minute';
import { openStore } from '../setup/open-store';
import { connectStoreAt } from '../setup/open-store-at';
import { ALL_BUT_DATE } from '../setup/all-but-date';

const HOURS = 3_600_000;
const PHONE = '+17015550142';

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterEach(() => void jest.useRealTimers());

/** By a process whose clock is so far off. */
async function offBy<T>(ms: number, act: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ now: Date.now() + ms, doNotFake: ALL_BUT_DATE });
  return act().finally(() => jest.useRealTimers());
}

const visit = { link: null, language: 'en', phone: PHONE } as const;
const farmerVisit = async () => {
  const token = await openFarmerSession(store, visit);
  return (await findFarmerSession(store, token, 'sharing'))!;
};

const DEED = { channel: null, action: 'pause', about: '', before: {}, by: 'test', via: 'gdx', reason: null, request_id: 'r' } as const; // prettier-ignore

/** What one process does, and what another says of it then. */
const DEEDS: Record<string, () => Promise<{ did: () => Promise<unknown>; says: () => Promise<boolean> }>> = {
  'a farmer who has come in is in': async () => {
    let token = '';
    return {
      did: async () => (token = await openFarmerSession(store, visit)),
      says: async () => (await findFarmerSession(store, token, 'sharing')) !== null,
    };
  },
  'an operator who has come in is in': async () => {
    const { operator } = await addOperator(store, `o${Math.random()}`, 'read');
    let token = '';
    return {
      did: async () => (token = await openOperatorSession(store, operator)),
      says: async () => (await findOperatorSession(store, token, '127.0.0.1')) !== null,
    };
  },
  'a code that was sent is good': async () => {
    const session = await farmerVisit();
    const of = { via: 'text', shown: false, digits: 6 } as const;
    return {
      did: () => newSignInCode(store, session, PHONE, of),
      says: () => hasLiveCode(store, session, PHONE),
    };
  },
  'a key that is replaced in an hour still signs': async () => {
    await newLinkKey(store, 'acme', 0);
    return {
      did: () => newLinkKey(store, 'acme', HOURS),
      says: async () => (await liveLinkKeys(store, 'acme', timeNow()))?.length === 2,
    };
  },
};

describe.each([
  ['two hours ahead', 2 * HOURS],
  ['two hours behind', -2 * HOURS],
])('a process whose clock is %s', (_how, ms) => {
  test('says what others say, and they what it says', async () => {
    const disputed: string[] = [];
    for (const [what, deed] of Object.entries(DEEDS)) {
      const [one, other] = [await deed(), await deed()];
      await offBy(ms, one.did);
      if (!(await one.says())) disputed.push(`${what}, by what it did`);
      await other.did();
      if (!(await offBy(ms, other.says))) disputed.push(`${what}, by what others did`);
    }
    expect(disputed).toEqual([]);
  });

  test('records what an operator did when it was done', async () => {
    const _id = `deed ${ms}`;
    await offBy(ms, () => openAction(store, { ...DEED, _id }));
    const action = (await listActions(store, undefined, 9)).find((one) => one._id === _id);
    expect(Math.abs(action!.at.getTime() - Date.now())).toBeLessThan(60_000);
  });

  test('and one that is right give a caller one limit together', async () => {
    await earlyInTheMinute();
    const [one, other] = [
      createSharedLimiter(store, `of ${ms}`, 60),
      createSharedLimiter(store, `of ${ms}`, 60),
    ];
    let passed = 0;
    for (let n = 0; n < 90; n++) {
      if ((await one.take('caller')) === 0) passed++;
      if ((await offBy(ms, async () => other.take('caller'))) === 0) passed++;
    }
    expect(passed).toBeLessThanOrEqual(62);
  });
});

describe('the time of the database', () => {
  const LATE = 3_000;
  const offOf = (clock: DatabaseClock) => Math.abs(clock.now() - Date.now());

  test('is that of the answer that came soonest, where a busy process comes late to the next', () => {
    const clock = new DatabaseClock();
    clock.hear(new Date());
    clock.hear(new Date(Date.now() - LATE));
    expect(offOf(clock)).toBeLessThan(100);
  });

  test('is that of the process, where that may be right by a first answer that it came late to', async () => {
    const clock = new DatabaseClock();
    clock.hear(new Date(Date.now() - LATE), LATE + 100);
    expect(offOf(clock)).toBeLessThan(100);
    const [right, wrong] = [new Date(), new DatabaseClock()];
    await offBy(2 * HOURS, async () => wrong.hear(right, LATE));
    expect(offOf(wrong)).toBeLessThan(LATE + 100);
  });

  test('is that of a heartbeat that MongoDB sent when it liked, which took no time of ours', async () => {
    const { client, databaseClock } = await connectStoreAt('mongodb://127.0.0.1:1');
    const reply = { isWritablePrimary: true, localTime: new Date(Date.now() - LATE) };
    client.emit('serverHeartbeatSucceeded', { reply, awaited: true, duration: 10_000 } as never);
    expect(offOf(databaseClock)).toBeGreaterThan(LATE - 100);
  });

  test('is followed within a minute where it was set back', () => {
    jest.useFakeTimers();
    const clock = new DatabaseClock();
    clock.hear(new Date());
    for (let heartbeat = 0; heartbeat < 7; heartbeat++) {
      jest.advanceTimersByTime(10_000);
      clock.hear(new Date(Date.now() - HOURS));
    }
    expect(Date.now() - clock.now()).toBeCloseTo(HOURS, -2);
  });
});
