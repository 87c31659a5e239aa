import { MongoNetworkError } from 'mongodb';
import { guessCode } from '../../api/farmer/guess-code';
import { findFarmerSession, openFarmerSession } from '../../store/access/farmer-sessions';
import { newSignInCode } from '../../store/access/sign-in-codes';
import type { Store } from '../../store/store';
import { isUnavailable } from '../../store/unavailable';
import { type Call, rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';

const PHONE = '7015550142';
const LINK = { channel: 'acme', partner_id: 'p', display_name: 'A', callback_url: 'https://a.example' };

let store: Store;

beforeEach(async () => {
  store = await emptyStore();
});

async function sessionWithCode() {
  const token = await openFarmerSession(store, { link: LINK, language: 'en', phone: PHONE });
  const session = (await findFarmerSession(store, token))!;
  const { code } = (await newSignInCode(store, session, PHONE, { via: 'text', shown: true }))!;
  return { session, code };
}

/** The store, with MongoDB away from the call on that takes a count for so-many-th time. */
function awayFrom(count: number): Store {
  let counts = 0;
  return rewire(store, (call: Call) => {
    const isCount = call.collection === 'attempt_counts' && call.method === 'findOneAndUpdate';
    if (isCount && ++counts >= count) throw new MongoNetworkError('connection closed');
    return call.run();
  });
}

// The counts of the phone: those of the hour and of the day.
test.each([1, 2])(
  'MongoDB away at count %i of a guess: the right code is not compared, and the guess has cost a try',
  async (count) => {
    const { session, code } = await sessionWithCode();
    const refused = await guessCode(awayFrom(count), session, code, undefined).catch(
      (error: unknown) => error,
    );
    expect(isUnavailable(refused)).toBe(true);
    const tries = await store.db.collection('sign_in_codes').findOne({});
    expect(tries).toMatchObject({ tries: 1 });
    expect(await guessCode(store, session, code, undefined)).toBe('right');
  },
);

test('MongoDB away before any count: nothing is compared and nothing is counted', async () => {
  const { session, code } = await sessionWithCode();
  const away = rewire(store, (call) => {
    if (call.collection === 'sign_in_codes') throw new MongoNetworkError('connection closed');
    return call.run();
  });
  await expect(guessCode(away, session, code, undefined)).rejects.toThrow('connection closed');
  expect(await store.db.collection('attempt_counts').countDocuments()).toBe(0);
});
