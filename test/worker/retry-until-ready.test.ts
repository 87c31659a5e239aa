import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { StoreMismatch } from '../../store/schema/store-mismatch';
import { retryUntilReady } from '../../worker/retry-until-ready';
import { holdWaits } from '../setup/hold-waits';

afterEach(() => jest.restoreAllMocks());

const lines: { msg: string; reason: string }[] = [];
const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
beforeEach(() => void lines.splice(0));

/** A part that fails so often before it answers. */
function part(failures: number, error: Error = new Error('refused')) {
  const stop = new AbortController();
  let calls = 0;
  const call = async () => {
    if (++calls <= failures) throw error;
    return 'ready';
  };
  const result = retryUntilReady(log, 'MongoDB', stop.signal, call);
  const settled = result.then(
    (value) => value,
    ({ name }: Error) => name,
  );
  return { settled, stop: () => stop.abort(), calls: () => calls };
}

test('a part that is away is asked every two seconds until it answers', async () => {
  const waits = holdWaits();
  const { settled, calls } = part(2);
  expect([await waits.pass(), calls()]).toEqual([2_000, 2]);
  expect([await waits.pass(), calls()]).toEqual([2_000, 3]);
  expect(await settled).toBe('ready');
  const line = { msg: 'MongoDB does not answer yet', reason: 'refused' };
  expect(lines).toMatchObject([line, line]);
});

test('a database of another release is said at once: waiting does not help', async () => {
  holdWaits();
  const { settled, calls } = part(1, new StoreMismatch('the database is of release 9', 'install that'));
  const late = setImmediate('it waits');
  expect([await Promise.race([settled, late]), calls()]).toEqual(['StoreMismatch', 1]);
});

test('a worker that is told to stop waits no longer, and asks no more', async () => {
  holdWaits();
  const { settled, stop, calls } = part(1);
  await setImmediate();
  stop();
  const late = setImmediate('it waits on');
  expect([await Promise.race([settled, late]), calls()]).toEqual(['AbortError', 1]);
});
