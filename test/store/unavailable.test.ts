import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { isUnavailable, WriteTimeout } from '../../store/unavailable';

const closed = new MongoNetworkError('connection 3 to 127.0.0.1:27017 closed');
const inBatch = (error: Error) => new MongoBulkWriteError(error as never, {} as never);
const labelled = (label: string) => {
  const error = new MongoError('x');
  error.addErrorLabel(label);
  return error;
};
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
  ['a server that is no primary and reads nothing', coded(13435), true],
  ['a server that recovers', coded(13436), true],
  ['a socket that has ended', socket('EPIPE'), true],
  ['a socket that was reset', socket('ECONNRESET'), true],
  ['another error of the system', socket('ENOENT'), false],
  ['a full disk', coded(14031), true],
  ['a server that fails by itself', coded(1), true],
  ['a server that does not know why', coded(8), true],
  ['a duplicate key', coded(11000), false],
  ['a duplicate key in a batch', inBatch(coded(11000)), false],
  ['a defect', new TypeError('x'), false],
])('%s', (_, error, away) => {
  expect(isUnavailable(error)).toBe(away);
});
