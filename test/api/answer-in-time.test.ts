import { answerInTime, handleInTime, lookUpInTime } from '../../api/http/answer-in-time';
import type { RequestState } from '../../api/http/route';

const late = expect.objectContaining({ code: 'UNAVAILABLE', status: 503 });
const request = () => ({ state: { requestId: '1', logged: {} } as RequestState });
const never = () => new Promise<void>(() => undefined);

test('a handler that takes too long is answered for, and known to be at work until it has ended', async () => {
  const ctx = request();
  let ended = false;
  let end!: () => void;
  const handle = handleInTime(() => new Promise<void>((done) => (end = done)), 20);
  await expect(handle(ctx)).rejects.toEqual(late);
  void ctx.state.ended!.then(() => (ended = true));
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  end();
  await ctx.state.ended;
});

test('one that fails late brings nothing down', async () => {
  const ctx = request();
  let fail!: (why: Error) => void;
  const handle = handleInTime(() => new Promise<void>((_, reject) => (fail = reject)), 20);
  await expect(handle(ctx)).rejects.toEqual(late);
  fail(new Error('late'));
  await expect(ctx.state.ended).resolves.toBeUndefined();
});

test('what is in time passes, its error too', async () => {
  const handle = handleInTime(() => Promise.reject(new TypeError('x')), 1_000);
  await expect(handle(request())).rejects.toThrow(TypeError);
  await handleInTime(() => undefined, 1_000)(request());
});

test('25 s for a request, 10 s for finding who calls', async () => {
  jest.useFakeTimers();
  const answers = [
    expect(answerInTime(request() as never, never)).rejects.toEqual(late),
    expect(lookUpInTime(never())).rejects.toEqual(late),
    expect(handleInTime(never)(request())).rejects.toEqual(late),
  ];
  await jest.advanceTimersByTimeAsync(9_999);
  expect(jest.getTimerCount()).toBe(3);
  await jest.advanceTimersByTimeAsync(1);
  expect(jest.getTimerCount()).toBe(2);
  await jest.advanceTimersByTimeAsync(15_000);
  jest.useRealTimers();
  await Promise.all(answers);
});
