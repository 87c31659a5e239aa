import { answerWithin } from '../../customer/answer-within';

test('no answer in time is the customer’s, and says how long was waited', async () => {
  const hanging = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  expect(await answerWithin(50, hanging)).toEqual({
    status: null,
    problem: 'timeout',
    detail: 'did not answer within 0.05 s',
  });
});

test('a mistake of ours is not told as theirs', async () => {
  await expect(answerWithin(60_000, () => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours');
});
