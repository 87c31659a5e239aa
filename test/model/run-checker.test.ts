import { Binary } from 'mongodb';
import type { ReceivedPage } from '../setup/fake-customer';
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

test('a write that is asked for again, as its answer was lost, is one write', () => {
  const checker = new RunChecker();
  const lsid = { id: new Binary(Buffer.from([1])) };
  const take = {
    ...{
      findAndModify: 'markers',
      query: { _id: 'acme/tickets' },
      update: { $inc: { epoch: 1 } },
      new: true,
    },
    ...{ lsid, txnNumber: 7 },
  };
  const answer = { ...OK, value: { epoch: 1 } };
  checker.commandSent(take)(answer);
  checker.commandSent(take)(answer);
  const move = { q: { _id: 'acme/tickets', epoch: 1 }, u: { $set: { position: 0 } } };
  checker.commandSent({ update: 'markers', updates: [move], lsid, txnNumber: 8 })({ ...OK, n: 1 });
  expect(checker.broken).toEqual([]);
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

describe('a catch-up that is begun anew takes over what is pending', () => {
  const ID = 'acme/tickets/1001';
  const SHARE = JSON.stringify(['acme', 'policy', 'farmer', '1001']);

  /** A plan that begins the account's catch-up, where the channel's own marker is at `marker`. */
  function begin(checker: RunChecker, number: number, marker: number, catchUp?: { position: number }) {
    const transaction = {
      lsid: { id: new Binary(Buffer.from([number])) },
      txnNumber: number,
      autocommit: false,
    };
    const say = (command: object, answer: object) =>
      checker.commandSent({ ...command, ...transaction })({ ...OK, ...answer });
    const own = { query: { _id: 'acme/tickets' }, update: { $inc: { epoch: 1 } } };
    say(
      { findAndModify: 'markers', ...own, startTransaction: true },
      { value: { position: marker, epoch: number } },
    );
    const bump = { query: { _id: 'acme' }, update: { $inc: { shares_version: 1 } } };
    say({ findAndModify: 'channels', ...bump }, { value: { _id: 'acme', shares_version: number } });
    say({ delete: 'markers', deletes: [{ q: { _id: { $in: [ID] } } }] }, { n: number - 1 });
    const whole = {
      _id: ID,
      account: '1001',
      until: marker,
      begun: number,
      generation: number,
      epoch: number,
    };
    if (catchUp) say({ insert: 'markers', documents: [{ ...whole, ...catchUp }] }, { n: 1 });
    const begun = { q: { _id: { $in: [SHARE] } }, u: { $pull: { to_begin: 'tickets' } } };
    say({ update: 'subscriptions', updates: [begun] }, { n: 1 });
    checker.commandSent({ commitTransaction: 1, ...transaction })(OK);
  }
  const isLost = [expect.stringContaining('NO_CATCH_UP')];

  test.each([
    ['by one from no later on', 9, { position: 0 }, []],
    ['not by one from later on', 9, { position: 4 }, isLost],
    ['by none, where a reset has moved the own marker back before it', 0, undefined, []],
  ])('%s', (_, marker, catchUp, broken) => {
    const checker = new RunChecker();
    begin(checker, 1, 9, { position: 0 });
    begin(checker, 2, marker, catchUp);
    expect(checker.broken.filter((one) => one.startsWith('NO_CATCH_UP') && one.includes('anew'))).toEqual(
      broken,
    );
  });
});

describe('a look at the channel comes behind the records of a page', () => {
  const session = { lsid: { id: new Binary(Buffer.from([9])) } };
  const found = (...documents: object[]) => ({ ...OK, cursor: { firstBatch: documents } });

  /** A slice that delivers a catch-up of each account: takes its epoch, reads, looks and posts. */
  function slice(checker: RunChecker) {
    const ask = (command: object, answer: object) => checker.commandSent({ ...command, ...session })(answer);
    const read = () => ask({ find: 'tickets', filter: {}, projection: { wire: 1 } }, found());
    const look = () =>
      ask(
        { find: 'channels', filter: { _id: 'acme' } },
        found({ _id: 'acme', scope: 'subscribed', shares_version: 1 }),
      );
    const begin = (account: string, epoch: number) =>
      ask(
        { findAndModify: 'markers', query: { _id: `acme/tickets/${account}` } },
        { ...OK, value: { epoch } },
      );
    const arrive = (epoch: number) =>
      checker.pageArrived({
        headers: { 'x-channel-slug': 'acme', 'x-feed-epoch': String(epoch) },
        entityType: 'tickets',
        records: [],
      } as unknown as ReceivedPage);
    return { read, look, begin, arrive };
  }

  test('also where those of the next page are read ahead before the first page of a further catch-up arrives', () => {
    const checker = new RunChecker();
    const { read, look, begin, arrive } = slice(checker);
    for (const epoch of [1, 2]) {
      begin(`100${epoch}`, epoch);
      read();
      look();
      if (epoch === 2) read(); // ahead, as the customer has confirmed a page of this slice
      arrive(epoch);
    }
    expect(checker.broken).toEqual([]);
  });

  test.each([
    ['the first page of a slice', 1],
    ['the first page of a further catch-up', 2],
  ])('%s without a look is refused', (_, without) => {
    const checker = new RunChecker();
    const { read, look, begin, arrive } = slice(checker);
    look(); // as a plan does
    for (const epoch of [1, 2]) {
      begin(`100${epoch}`, epoch);
      read();
      if (epoch !== without) look();
      arrive(epoch);
    }
    expect(checker.broken).toEqual([expect.stringContaining('REVOKED')]);
  });
});

describe('a record is set aside', () => {
  const headers = { 'x-channel-slug': 'acme' };
  const page = (status: number, ...ids: string[]) => {
    const records = ids.map((id) => ({ id, remote_id: id, updated_at: '2026-10-01T12:00:00.000Z' }));
    return {
      headers,
      entityType: 'tickets',
      records,
      status,
      meta: { current_page: 1 },
    } as unknown as ReceivedPage;
  };
  const refused = (...ids: string[]) => page(409, ...ids);

  /** What is found of a record that is set aside behind these pages. */
  function brokenBehind(...pages: ReceivedPage[]): readonly string[] {
    const checker = new RunChecker();
    for (const one of pages) checker.pageArrived(one);
    const u = { channel: 'acme', entity_type: 'tickets', record: 'T1', position: 1 };
    checker.commandSent({ update: 'set_aside', updates: [{ q: {}, u }] });
    return checker.broken;
  }

  const NOT_SO = [expect.stringContaining('REFUSED_TWICE')];

  test.each<[string, ReceivedPage[], unknown[]]>([
    [
      'refused alone twice, with another confirmed in between',
      [refused('T1'), page(200, 'T2'), refused('T1')],
      [],
    ],
    ['refused alone once', [page(200, 'T2'), refused('T1')], NOT_SO],
    ['refused alone twice with nothing between', [page(200, 'T2'), refused('T1'), refused('T1')], NOT_SO],
    [
      'refused alone once, and once with another',
      [refused('T1', 'T3'), page(200, 'T2'), refused('T1')],
      NOT_SO,
    ],
    ['confirmed itself in between', [refused('T1'), page(200, 'T1'), refused('T1')], NOT_SO],
  ])('%s', (_, pages, broken) => expect(brokenBehind(...pages)).toEqual(broken));
});
