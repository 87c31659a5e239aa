import { classifyAnswer, FAILURES, isPassing, type Answer } from '../../domain/deliveries/classify-answer';

const failureOf = (status: number) => classifyAnswer({ status, excerpt: '' })?.failure;

test.each([200, 204, 299])('%d confirms the page', (status) => expect(failureOf(status)).toBeUndefined());

// docs/contract.md C8
test.each([
  ['unavailable', [408, 425, 500, 502, 503, 504, 506, 599, 600, 999]],
  ['throttled', [429]],
  ['too_large', [413]],
  ['refused', [400, 409, 422]],
  ['unauthorized', [401, 403, 407]],
  ['gone', [410]],
  ['misconfigured', [199, 300, 301, 404, 405, 418, 499, 501, 505]],
])('%s: %j', (failure, statuses) => expect(statuses.map(failureOf)).toEqual(statuses.map(() => failure)));

test('the verdict names the status, and advises where a person has to act', () => {
  const verdict = (status: number) => classifyAnswer({ status, excerpt: '' });
  expect(verdict(503)).toEqual({ failure: 'unavailable', reason: 'answered 503', advice: undefined });
  expect(verdict(401)?.advice).toBe('check the channel’s authorization');
  expect(verdict(410)?.advice).toBe('ask the customer whether the feed is still wanted');
  expect(verdict(404)?.advice).toBe('check the channel’s base URL');
});

test.each<[Extract<Answer, { status: null }>['problem'], string]>([
  ['timeout', 'unavailable'],
  ['unreachable', 'unavailable'],
  ['tls', 'misconfigured'],
  ['blocked', 'misconfigured'],
])('without an answer: %s is %s', (problem, failure) => {
  const answer = { status: null, problem, detail: 'did not answer within 30 s' };
  expect(classifyAnswer(answer)).toMatchObject({ failure, reason: 'did not answer within 30 s' });
});

test('only an unavailable or throttled customer is waited for', () =>
  expect(FAILURES.filter(isPassing)).toEqual(['unavailable', 'throttled']));
