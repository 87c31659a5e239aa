import pino from 'pino';
import { createMissingLogger, ensurePeriodically } from '../../worker/ensure-periodically';
import { holdWaits } from '../setup/hold-waits';

afterEach(() => jest.restoreAllMocks());

const lines: { level: number; msg: string; command?: string }[] = [];
const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
beforeEach(() => void lines.splice(0));

const of = (what: string) => ({ missing: what, command: `temporal operator ${what}` });

test('what is missing is logged when that changes, and not every minute; nothing is said where all is there', () => {
  const logMissing = createMissingLogger(log);
  const logged = (...missing: ReturnType<typeof of>[]) => {
    lines.splice(0);
    logMissing(missing);
    return lines.map(({ command, msg }) => command ?? msg);
  };
  expect(logged()).toEqual([]);
  expect(logged(of('a'), of('b'))).toEqual(['temporal operator a', 'temporal operator b']);
  expect(logged(of('a'), of('b'))).toEqual([]);
  expect(logged(of('b'))).toEqual(['temporal operator b']);
  expect(logged()).toEqual(['Temporal is completely set up']);
  expect(logged()).toEqual([]);
  expect(logged(of('b'))).toEqual(['temporal operator b']);
});

test('it looks once a minute, goes on where Temporal is away, and ends with the worker', async () => {
  const waits = holdWaits();
  const stopping = new AbortController();
  let looks = 0;
  const ensure = async () => {
    if (++looks === 1) throw new Error('away');
  };
  const ended = ensurePeriodically(ensure, log, stopping.signal);
  expect(looks).toBe(0);
  expect([await waits.pass(), looks]).toEqual([60_000, 1]);
  expect([await waits.pass(), looks]).toEqual([60_000, 2]);
  stopping.abort();
  await ended;
  expect(looks).toBe(2);
  expect(lines).toMatchObject([{ reason: 'away' }]);
});
