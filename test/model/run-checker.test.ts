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
