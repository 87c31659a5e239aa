import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isUnavailable, WriteTimeout } from '../../store/unavailable';

const closed = new MongoNetworkError('connection 3 to 127.0.0.1:27017 closed');
const inBatch = (error: Error) => new MongoBulkWriteError(error as never, {} as never);
const labelled = new MongoError('x');
labelled.addErrorLabel('TransientTransactionError');

test.each<[string, unknown, boolean]>([
  ['write timeout', new WriteTimeout('x'), true],
  ['a closed connection', closed, true],
  ['a closed connection in the middle of a batch', inBatch(closed), true],
  ['a transaction to try again', labelled, true],
  ['a primary that steps down', new MongoServerError({ message: 'x', code: 189 }), true],
  [
    'a socket that has ended',
    Object.assign(new Error('This socket has been ended'), { code: 'EPIPE' }),
    true,
  ],
  ['a full disk', new MongoServerError({ message: 'x', code: 14031 }), true],
  ['a server that fails by itself', new MongoServerError({ message: 'x', code: 1 }), true],
  ['a duplicate key', new MongoServerError({ message: 'x', code: 11000 }), false],
  ['a duplicate key in a batch', inBatch(new MongoServerError({ message: 'x', code: 11000 })), false],
  ['a defect', new TypeError('x'), false],
])('%s', (_, error, away) => {
  expect(isUnavailable(error)).toBe(away);
});
