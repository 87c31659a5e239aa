import { errors } from 'undici';
import { BlockedAddress } from '../../outbound/guarded-connector';
import { noAnswer } from '../../outbound/post-page';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { failureMessage, ownFailureMessage, reasonOverMany } from '../../domain/deliveries/failure-message';
import { InterimFlood } from '../../outbound/interim-answers';
import { CUSTOMER_LIMITS } from '../../outbound/create-agent';

const coded = (code: string) => Object.assign(new Error(code), { code });

/** Every way in which a request has no answer, and what is said of it. */
const REASONS: [error: Error, late: boolean, reason: string][] = [
  [coded('ENOTFOUND'), false, 'has a name that does not resolve'],
  [coded('ECONNREFUSED'), false, 'refused the connection'],
  [coded('EHOSTUNREACH'), false, 'could not be reached (EHOSTUNREACH)'],
  [coded('ECONNRESET'), false, 'closed the connection before its answer was complete (ECONNRESET)'],
  [coded('CERT_HAS_EXPIRED'), false, 'has a TLS certificate that is not valid (CERT_HAS_EXPIRED)'],
  [coded('EPROTO'), false, 'does not speak TLS as it should (EPROTO)'],
  [new errors.ConnectTimeoutError(), false, 'could not be reached within 5 s'],
  [new Error('late'), true, 'did not answer within 30 s'],
  [new errors.HeadersOverflowError(), false, 'answered with more than 16 KB of headers'],
  [
    new InterimFlood('answered with more than 10 interim answers'),
    false,
    'answered with more than 10 interim answers',
  ],
  [new BlockedAddress('points to 10.0.0.5, a private address'), false, 'has a base URL that points to 10.0.0.5, a private address'], // prettier-ignore
];
const AGAIN = 'the next run tries again from the same place';

describe.each(REASONS)('%s (late: %s)', (error, late, reason) => {
  const verdict = { ...classifyAnswer(noAnswer(error, late, CUSTOMER_LIMITS))!, advice: undefined };

  test('is a sentence after one attempt and after several', () => {
    expect(failureMessage('Acme', verdict, { attempts: 1 })).toBe(`Acme ${reason}: ${AGAIN}`);
    expect(failureMessage('Acme', verdict, { attempts: 6 })).toBe(
      `Acme ${reason} and confirmed none of the last 6 attempts: ${AGAIN}`,
    );
  });

  test('is one of many records too', () =>
    expect(reasonOverMany(verdict.reason, '20 records')).toBe(`${reason} when it was sent 20 records`));
});

test('a status, the time that was asked for and what to do', () => {
  const answered = classifyAnswer({ status: 503, excerpt: '' })!;
  expect(failureMessage('Acme', answered, { attempts: 6 })).toBe(
    `Acme answered 503 and confirmed none of the last 6 attempts: ${AGAIN}`,
  );
  expect(failureMessage('Acme', answered, { attempts: 1, askedUntil: '11:00:00' })).toBe(
    'Acme answered 503 and asked for time until 11:00:00 UTC: a run after that tries again from the same place',
  );
  const unauthorized = classifyAnswer({ status: 401, excerpt: '' })!;
  expect(failureMessage('Acme', unauthorized, { attempts: 3, askedUntil: '11:00:00' })).toBe(
    'Acme answered 401, confirmed none of the last 3 attempts and asked for time until 11:00:00 UTC: ' +
      'check the channel’s authorization',
  );
  expect(reasonOverMany('answered 422', 'every record tried')).toBe('answered 422 to every record tried');
});

test.each([
  [undefined, 'MongoDB or a worker failed for ten minutes: ', 'see gdx doctor'],
  [{ message: 'heartbeat' }, 'MongoDB or a worker failed for ten minutes: ', 'see gdx doctor'],
  [
    { type: 'MongoServerError', message: 'not shown' },
    'MongoDB or a worker failed for ten minutes (MongoServerError): ',
    'see gdx doctor',
  ],
  [
    { type: 'ProxyAway', message: 'the outbound proxy: ECONNREFUSED' },
    'No page could be sent for ten minutes (the outbound proxy: ECONNREFUSED): ',
    'check GDX_OUTBOUND_PROXY',
  ],
])('what failed on our own side is named, after %o', (cause, problem, advice) => {
  expect(ownFailureMessage(cause)).toBe(`${problem}${AGAIN}; ${advice}`);
});
