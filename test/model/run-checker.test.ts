import { Binary } from 'mongodb';
import { RunChecker } from './run-checker';

const OK = { ok: 1 };

/** A push of one ticket whose transaction found the counter at `before`. */
function beginPush(checker: RunChecker, number: number, before: number) {
  const transaction = { lsid: { id: new Binary(Buffer.from([number])) }, txnNumber: 1, autocommit: false };
  const update = { $inc: { position: 1 } };
  const take = { findAndModify: 'counters', query: { _id: 'tickets' }, update, startTransaction: true };
  checker.commandSent({ ...take, ...transaction })({ ...OK, value: { position: before } });
  const commit = () => checker.commandSent({ commitTransaction: 1, ...transaction });
  return { commit };
}

test('a commit whose answer was lost is asked for again, and is one commit', () => {
  const checker = new RunChecker();
  const { commit } = beginPush(checker, 1, 4);
  const [first, second] = [commit(), commit()];
  second(OK);
  first(OK);
  commit()(OK);
  expect(checker).toMatchObject({ broken: [], steps: 2 });
});

test('a position that others have committed before is not committed again', () => {
  const checker = new RunChecker();
  const [one, other] = [beginPush(checker, 1, 4), beginPush(checker, 2, 4)];
  one.commit()(OK);
  other.commit()(OK);
  expect(checker.broken).toEqual([
    'OUTSIDE: positions of tickets from 4 are committed, and so were those up to 5',
  ]);
});

describe('a marker moves', () => {
  const session = { lsid: { id: new Binary(Buffer.from([9])) } };
  const found = (...documents: object[]) => ({ ...OK, cursor: { firstBatch: documents } });
  const readCounter = (checker: RunChecker, position: number) =>
    checker.commandSent({ find: 'counters', ...session })(found({ _id: 'tickets', position }));
  const readShared = (checker: RunChecker, ...shared: object[]) =>
    checker.commandSent({
      find: 'subscriptions',
      filter: { channel: 'acme', state: 'granted', to_begin: { $ne: 'tickets' } },
      ...session,
    })(found(...shared));
  const moveTo = (checker: RunChecker, position: number) =>
    checker.commandSent({
      update: 'markers',
      updates: [{ q: { _id: 'acme/tickets', epoch: 0 }, u: { $set: { position } } }],
      ...session,
    })({ ...OK, n: 1 });
  const isRefused = [expect.stringContaining('LATE_CEILING')];

  test.each([
    ['as far as the counter was read later, where nothing was shared', [], []],
    ['so where all that was shared is over', [{ account: '1001', over: true }], []],
    ['no further than its records were read, where an account was shared', [{ account: '1001' }], isRefused],
  ])('%s', (_, shared, broken) => {
    const checker = new RunChecker();
    readCounter(checker, 3);
    readShared(checker, ...shared);
    readCounter(checker, 5);
    moveTo(checker, 5);
    expect(checker.broken).toEqual(broken);
  });

  test('no further than the counter was ever read', () => {
    const checker = new RunChecker();
    readCounter(checker, 3);
    readShared(checker);
    moveTo(checker, 5);
    expect(checker.broken).toEqual(isRefused);
  });
});
