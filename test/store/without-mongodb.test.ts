import {
  BSON,
  type ClientSession,
  Double,
  Long,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { knownDevice, rememberDevice } from '../../store/sessions/device-tokens';
import { isLive, revoked, rotated, TwoTokensLive } from '../../store/callers/token-holders';
import { seal, unseal } from '../../store/secrets/seal';
import { flawOfToken, hashToken, newToken } from '../../store/callers/tokens';
import { closeStore, connectStore } from '../../store/connect';
import { RawRecord } from '../../store/window/page-builder';
import type { Store } from '../../store/store';
import { deadlineIn, transact } from '../../store/transact';
import { isUnavailable, WriteTimeout } from '../../store/unavailable';
import { SECRET_KEY } from '../setup/open-store-at';

describe('connect', () => {
  /** It connects only when something is asked of it. */
  const connect = (uri: string) =>
    connectStore({ uri, secretKey: undefined, customerKeys: DEVELOPMENT_CUSTOMER_KEYS, appName: 'gdx-test' });

  test.each([
    ['mongodb://127.0.0.1', 'gdx'],
    ['mongodb://127.0.0.1/', 'gdx'],
    ['mongodb://127.0.0.1/?replicaSet=rs0', 'gdx'],
    ['mongodb://127.0.0.1/grain', 'grain'],
    ['mongodb://gdx:secret@one:27017,two:27017/grain?replicaSet=rs0', 'grain'],
  ])('%s is the database %s', async (uri, name) => {
    const store = await connect(uri);
    expect(store.db.databaseName).toBe(name);
    await closeStore(store);
  });
});

const labelled = (label: string, code?: number) => {
  const error = new MongoServerError({ message: 'x', code });
  error.addErrorLabel(label);
  return error;
};

describe('transact', () => {
  const UNKNOWN = 'UnknownTransactionCommitResult';

  /** What a server answers to each commit of a session, and what is asked of the session. */
  function sessionOf(...commits: (MongoError | 'ok')[]) {
    const asked: string[] = [];
    const session = {
      startTransaction: () => void asked.push('start'),
      inTransaction: () => !['commit', 'abort'].includes(asked.at(-1)!),
      abortTransaction: async () => void asked.push('abort'),
      commitTransaction: async () => {
        asked.push('commit');
        const answer = commits.shift();
        if (answer !== 'ok') throw answer;
      },
    } as unknown as ClientSession;
    return {
      asked,
      run: <T>(work: () => Promise<T>, ms = 10_000) => transact({} as Store, session, deadlineIn(ms), work),
    };
  }
  const work = async () => 'stored';

  test('a commit that nobody has answered for is asked for again, and what it commits is done once', async () => {
    const { asked, run } = sessionOf(labelled(UNKNOWN), labelled(UNKNOWN), 'ok');
    expect([await run(work), asked]).toEqual(['stored', ['start', 'commit', 'commit', 'commit']]);
  });

  test('what is to be tried again is tried as a whole', async () => {
    const { asked, run } = sessionOf(labelled('TransientTransactionError'), 'ok');
    expect([await run(work), asked]).toEqual(['stored', ['start', 'commit', 'start', 'commit']]);
    const other = sessionOf('ok');
    let tries = 0;
    const conflicting = async () => {
      if (++tries === 1) throw labelled('TransientTransactionError', 112);
      return tries;
    };
    expect([await other.run(conflicting), other.asked]).toEqual([2, ['start', 'abort', 'start', 'commit']]);
  });

  test('what fails is taken back, and thrown as it is', async () => {
    const { asked, run } = sessionOf();
    await expect(run(() => Promise.reject(new Error('power cut')))).rejects.toThrow('power cut');
    expect(asked).toEqual(['start', 'abort']);
  });

  test('no commit is asked for again whose time is over, the server’s or ours', async () => {
    for (const [error, ms] of [
      [labelled(UNKNOWN, 50), 10_000],
      [labelled(UNKNOWN), 5],
    ] as const) {
      const { asked, run } = sessionOf(error, 'ok');
      await expect(run(() => setTimeout(10, 'stored'), ms)).rejects.toBe(error);
      expect(asked).toEqual(['start', 'commit']);
    }
  });
});

describe('unavailable', () => {
  const closed = new MongoNetworkError('connection 3 to 127.0.0.1:27017 closed');
  const inBatch = (error: Error) => new MongoBulkWriteError(error as never, {} as never);
  const coded = (code: number) => new MongoServerError({ message: 'x', code });
  const socket = (code: string) => Object.assign(new Error('This socket has been ended'), { code });

  test.each<[string, unknown, boolean]>([
    ['write timeout', new WriteTimeout('x'), true],
    ['a closed connection', closed, true],
    ['a closed connection in the middle of a batch', inBatch(closed), true],
    ['no server that answers', new MongoServerSelectionError('x', {} as never), true],
    ['an operation out of time', new MongoOperationTimeoutError('x'), true],
    ['no connection', new MongoNotConnectedError('x'), true],
    ['a client that is closing', new MongoTopologyClosedError('x'), true],
    ['a transaction to try again', labelled('TransientTransactionError'), true],
    ['a write to try again', labelled('RetryableWriteError'), true],
    ['a commit of which nobody knows', labelled('UnknownTransactionCommitResult'), true],
    ['another label', labelled('NoWritesPerformed'), false],
    ['a primary that steps down', coded(189), true],
    ['a server that shuts down', coded(91), true],
    ['a server that shuts down, interrupted', coded(11600), true],
    ['a server that is no primary', coded(10107), true],
    ['a server that was the primary', coded(11602), true],
    ['an operation that was ended by another process', coded(11601), true],
    ['a server that is no primary and reads nothing', coded(13435), true],
    ['a server that recovers', coded(13436), true],
    ['a socket that has ended', socket('EPIPE'), true],
    ['a socket that was reset', socket('ECONNRESET'), true],
    ['another error of the system', socket('ENOENT'), false],
    ['a cursor that is gone', coded(43), true],
    ['a read that takes longer than the server allows', coded(50), true],
    ['a read whose index was dropped', coded(175), true],
    ['a full disk', coded(14031), true],
    ['a server that fails by itself', coded(1), true],
    ['a server that does not know why', coded(8), true],
    ['a conflict of writes that has no label', coded(112), true],
    ['a duplicate key', coded(11000), false],
    ['a duplicate key in a batch', inBatch(coded(11000)), false],
    ['a defect', new TypeError('x'), false],
  ])('%s', (_, error, away) => {
    expect(isUnavailable(error)).toBe(away);
  });
});

describe('seal', () => {
  const store = { secretKey: SECRET_KEY } as Store;

  describe('a sealed secret', () => {
    test('opens for its owner, and does not look the same twice', () => {
      const sealed = seal(store, 'acme', 'whsec_geheim');
      expect(unseal(store, 'acme', sealed)).toBe('whsec_geheim');
      expect(sealed.includes('geheim')).toBe(false);
      expect(seal(store, 'acme', 'whsec_geheim').equals(sealed)).toBe(false);
    });

    test('does not open for another owner, with another key, or changed in any byte', () => {
      const sealed = seal(store, 'acme', 'whsec_geheim');
      expect(() => unseal(store, 'temporal', sealed)).toThrow();
      expect(() => unseal({ ...store, secretKey: Buffer.alloc(32) }, 'acme', sealed)).toThrow();
      for (let i = 0; i < sealed.length; i++) {
        const changed = Buffer.from(sealed);
        changed[i]! ^= 1;
        expect(() => unseal(store, 'acme', changed)).toThrow();
      }
    });
  });

  describe('a token', () => {
    const [HERE, LIVE] = [{ production: false }, { production: true }];

    test('says its kind, is never the same, and is known by its checksum', () => {
      const token = newToken('erp', HERE);
      expect(token).toMatch(/^gdx_erp_test_[0-9A-Za-z]{36}$/);
      expect(newToken('erp', HERE)).not.toBe(token);
      expect(flawOfToken(token, 'erp', HERE)).toBeUndefined();
      const typo = token.slice(0, 17) + (token[17] === 'x' ? 'y' : 'x') + token.slice(18);
      for (const wrong of [
        '',
        typo,
        `${token}\n`,
        ` ${token}`,
        token.slice(0, -1),
        token.replace('test_', ''),
      ]) {
        expect(flawOfToken(wrong, 'erp', HERE)).toBe('no token of this kind');
      }
      for (const made of [token, token.replace('erp', 'channel')])
        expect(flawOfToken(made, 'channel', HERE)).toBe('no token of this kind');
    });

    test('opens in production only when it was made there, and only there', () => {
      const live = newToken('channel', LIVE);
      expect(live).toMatch(/^gdx_channel_live_/);
      expect(flawOfToken(live, 'channel', LIVE)).toBeUndefined();
      expect(flawOfToken(live, 'channel', HERE)).toBe('a live token');
      expect(flawOfToken(newToken('channel', HERE), 'channel', LIVE)).toBe('a test token');
      expect(flawOfToken(live.replace('live', 'test'), 'channel', HERE)).toBe('no token of this kind');
    });

    test('is stored as its hash, from which it cannot be read', () => {
      const token = newToken('channel', HERE);
      expect(hashToken(token)).toBe(hashToken(token));
      expect(hashToken(token)).not.toContain(token.slice(17, 25));
      expect(hashToken(newToken('channel', HERE))).not.toBe(hashToken(token));
    });
  });
});

describe('live-tokens', () => {
  const HOUR = 3_600_000;
  const began = new Date('2026-11-24T08:00:00Z');
  const later = (ms: number) => new Date(began.getTime() + ms);
  const opens = (live: ReturnType<typeof rotated>, now: Date) =>
    ['first', 'second', 'third'].filter((token) => {
      const hash = hashToken(token);
      return live.hashes.includes(hash) && isLive(live, hash, now);
    });

  const first = { hashes: [hashToken('first')], ends_at: undefined };
  const second = rotated('second', first, HOUR, began);

  test('the one before the newest lives for its time, and a third waits for its end', () => {
    expect(opens(second, later(HOUR - 1))).toEqual(['first', 'second']);
    expect(() => rotated('third', second, HOUR, later(HOUR - 1))).toThrow(TwoTokensLive);
    expect(opens(second, later(HOUR))).toEqual(['second']);
  });

  test('one whose time is over lives no more, whatever is rotated afterwards', () => {
    const third = rotated('third', second, HOUR, later(HOUR));
    expect(opens(third, later(HOUR + 1))).toEqual(['second', 'third']);
    expect(opens(third, later(2 * HOUR))).toEqual(['third']);
  });

  test('at once, and revoked: nothing before it lives', () => {
    expect(opens(rotated('third', second, 0, began), began)).toEqual(['third']);
    expect(opens(revoked(second, 'old'), began)).toEqual(['second']);
    expect(opens(revoked(second, 'all'), began)).toEqual([]);
  });
});

describe('device-tokens', () => {
  const PHONE = '7015550142';
  const store = { hashKey: randomBytes(32) } as Store;
  const remember = (phones: string[], before = '') =>
    phones.reduce((token, phone) => rememberDevice(store, token, phone), before);

  afterEach(() => jest.restoreAllMocks());

  test('a browser keeps its name over all codes that are entered in it, and with it what was counted', () => {
    const first = remember([PHONE]);
    const again = remember(['7015550199', PHONE, PHONE], first);
    expect(knownDevice(store, again, PHONE)).toBe(knownDevice(store, first, PHONE));
  });

  test('a phone whose codes are entered again and again pushes out no other', () => {
    const token = remember(['7015550199', ...Array<string>(6).fill(PHONE)]);
    expect(knownDevice(store, token, '7015550199')).toBeDefined();
  });

  test('of six phones it knows the last five', () => {
    const phones = Array.from({ length: 6 }, (_, index) => `701555018${index}`);
    const token = remember(phones);
    const known = phones.filter((phone) => knownDevice(store, token, phone) !== undefined);
    expect(known).toEqual(phones.slice(1));
  });

  test('it is known for a year, and has another name then', () => {
    const token = remember([PHONE]);
    const name = knownDevice(store, token, PHONE);
    const clock = jest.spyOn(Date, 'now');
    clock.mockReturnValue(Date.now() + 364 * 24 * 3_600_000);
    expect(knownDevice(store, token, PHONE)).toBe(name);
    clock.mockReturnValue(Date.now() + 2 * 24 * 3_600_000);
    expect(knownDevice(store, token, PHONE)).toBeUndefined();
    expect(knownDevice(store, remember([PHONE], token), PHONE)).not.toBe(name);
  });
});

describe('raw-record', () => {
  const stored = {
    _id: '42-Müller/7',
    company_id: '42',
    account_ids: ['42-1001', '42-Ñandú'],
    left_account_ids: ['42-1002'],
    position: 7,
    updated_at: new Date('2026-10-01T06:00:00.123Z'),
    wire: Buffer.from('{"ticket":{"remote_id":"Müller/7"}}'),
  };
  const read = (document: object) => new RawRecord(Buffer.from(BSON.serialize(document)));

  test('a record reads as what was stored, whatever the order of its fields', () => {
    for (const fields of [Object.entries(stored), Object.entries(stored).reverse()]) {
      const record = read(Object.fromEntries(fields));
      expect({
        _id: record._id,
        company_id: record.company_id,
        account_ids: record.account_ids,
        left_account_ids: record.left_account_ids,
        position: record.position,
        updated_at: record.updated_at,
        wire: record.wire,
      }).toEqual(stored);
    }
  });

  test('a position is a number of any of the database’s types', () => {
    const large = 2 ** 40 + 1;
    for (const position of [large, Long.fromNumber(large), new Double(large)]) {
      expect(read({ ...stored, position }).position).toBe(large);
    }
  });

  test('a time before 1970 is read too', () => {
    const updated_at = new Date('1969-12-31T23:59:59.999Z');
    expect(read({ ...stored, updated_at }).updated_at).toEqual(updated_at);
  });

  test('accounts that were not asked for are none, and another field that was not is an error', () => {
    const { position, wire } = stored;
    const record = read({ position, wire });
    expect([record.account_ids, record.left_account_ids]).toEqual([[], []]);
    expect(() => record._id).toThrow('a record was read without its _id');
    expect(() => read({ wire })).toThrow('a record was read without its position');
  });
});
