import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { slowTest, nightlyTest } from '../setup/cases';
import { loopbackAgent } from '../setup/loopback-agent';
import { readCeiling } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { benchLines, besideKept, readBenchLines } from './bench-lines';
import { againstRows } from './against';
import { readBenchOptions } from './bench-options';
import { benchSizes } from './bench-sizes';
import { countFeed } from './count-feed';
import { countPushOperations } from './count-push-operations';
import { handlePush } from './handle-push';
import { interleave, quantile, ratio } from './interleave';
import { besideRow, rowsOf } from './measure-p7';
import { MEASUREMENTS } from './measurements';
import { openBenchStore } from './open-bench-store';
import { benchTable } from './print-bench-table';
import { pushBody } from './push-body';
import { failedRow, markOf, type Row } from './row';
import { serveHere } from '../setup/serve-here';

// What the database is asked for each page and each push is a rule, not a matter of speed (F4 and P2 of test/bench/README.md).
describe('the hard gates on counts', () => {
  let store: Store;

  beforeEach(async () => {
    store = await openBenchStore(process.env.MONGODB_URI as string, { monitored: true });
  });

  nightlyTest(
    'F4: a page costs one find, one read of the channel behind one proof, and one move of the marker',
    async () => {
      const sink = createServer((request, response) => request.resume().on('end', () => response.end()));
      const { url } = await serveHere(sink);
      const agent = loopbackAgent();
      const rows = await countFeed(store, agent, url, { pages: 53, pageSize: 2 });
      await agent.close();
      expect(broken(rows)).toEqual([]);
      expect(rows).toHaveLength(9);
    },
  );

  test('P1, P2: a push sends no command a record, and once more writes no record', async () => {
    const rows = await countPushOperations(store, 10);
    expect(broken(rows)).toEqual([]);
    expect(rows).toHaveLength(3);
  });

  slowTest('P3, P4: the push route’s handler stores a body, and says what is wrong with one', async () => {
    const body = (tickets: object[]) => Buffer.from(JSON.stringify(pushBody(tickets)));
    expect(await handlePush(store, body([{ id: '1', account_id: '7' }]))).toEqual([]);
    expect(await readCeiling(store, 'tickets')).toBe(1);
    const bad = Array.from({ length: 200 }, () => ({ gross_weight: 'heavy' }));
    expect(await handlePush(store, body(bad))).toHaveLength(100);
    expect(await readCeiling(store, 'tickets')).toBe(1);
  });
});

const broken = (rows: Row[]) => rows.filter((row) => markOf(row) === 'BROKEN');

describe('the bench itself', () => {
  const row = (value: number, bound: NonNullable<Row['bound']>): Row => ({
    id: 'X1',
    what: 'it',
    value,
    unit: 'x',
    bound,
  });

  test.each([
    [row(3, { hard: true, exactly: 3 }), 'ok'],
    [row(2, { hard: true, exactly: 3 }), 'BROKEN'],
    [row(4, { hard: true, atMost: 3 }), 'BROKEN'],
    [row(NaN, { hard: true, atMost: 3 }), 'BROKEN'],
    [row(1, { hard: false, atMost: 3, goal: 2 }), 'goal'],
    [row(2.5, { hard: false, atMost: 3, goal: 2 }), 'met'],
    [row(9, { hard: false, atMost: 3, goal: 2 }), 'missed'],
    [row(9, { hard: false, atLeast: 3, goal: 5 }), 'goal'],
    [row(4, { hard: false, atLeast: 3, goal: 5 }), 'met'],
    [row(1, { hard: false, atLeast: 3, goal: 5 }), 'missed'],
  ])('marks %j as %s', (measured, mark) => {
    expect(markOf(measured)).toBe(mark);
    expect(benchTable([measured])).toContain(mark);
  });

  nightlyTest('lets the contestants take turns and drops the first round', async () => {
    const turns: string[] = [];
    const contestant = (name: string) => ({ run: async () => void turns.push(name), units: 1 });
    const laps = await interleave({ a: contestant('a'), b: contestant('b') }, 3);
    expect(turns.join('')).toBe('ababab');
    expect(laps.a).toHaveLength(2);
    expect(ratio([{ wall: 6, cpu: 1 }], [{ wall: 3, cpu: 1 }])).toBe(2);
  });

  test('counts a measurement that fails as broken', () => {
    const failed = failedRow('T3', new Error('Temporal does not take a signal'));
    expect(markOf(failed)).toBe('BROKEN');
    expect(benchTable([failed])).toMatch(/T3 .*BROKEN +Temporal does not take a signal/);
  });

  test('finds the value below which most others lie', () => {
    expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(quantile([5, 1, 4, 2, 3], 1)).toBe(5);
    expect(quantile([], 0.5)).toBeNaN();
  });

  test('P7 compares APIs with one alone, and counts every 503', () => {
    const figures = (...pushed: number[][]) => ({
      pushed: pushed.map((times) => ({ times, ends: [], refused: times.length > 2 ? 1 : 0 })),
      ...{ seconds: 2, conflicts: NaN, commits: NaN },
    });
    const alone = figures([10, 10]);
    const rows = rowsOf('2 APIs', 2, figures([10, 990, 1_001], [10]), alone);
    expect(rows.map(({ value }) => value)).toEqual([2, 0.5, 99, 1_001, 1]);
    expect(rows.map(markOf)).toEqual(['met', 'missed', 'missed', 'missed', 'BROKEN']);
    expect(rows[0]!.detail).toBe(
      '2/s, p50 10 ms, p99 990 ms; 75 %, 25 %; alone 1/s, p50 10 ms, p99 10 ms; 100 %',
    );
    expect(rowsOf('1 APIs', 1, alone, alone).map(markOf)).toEqual(['', '', '', '', 'ok']);
    const longRun = figures(Array<number>(300_000).fill(7)); // more than a function may have arguments
    expect(rowsOf('1 APIs', 1, longRun, longRun)[3]!.value).toBe(7);
  });

  test('P7 compares a small push with the large ones that were under way meanwhile', () => {
    const large = { times: [100, 1_000], ends: [100, 1_100], refused: 0 };
    const beside = (times: number[], ends: number[]) =>
      besideRow(5_000, { pushed: [large, { times, ends, refused: 0 }] }).value;
    expect(beside([50], [90])).toBe(0.5);
    expect(beside([50], [130])).toBe(0.05);
    expect(beside([300], [1_200])).toBe(0.3);
    expect(beside([500], [2_000])).toBe(0.5); // none was under way
  });

  test.each([
    [[1.2, 1.06, 1.07], 'BROKEN'],
    [[1.2, 1.04, 1.07], 'ok'],
    [[0.9, 0.8, 0.9], 'ok'],
  ])('a commit that costs %j of another one is %s', (ratios, mark) => {
    const all = (value: number) => ({ P1: value, P6: value, F1: value, R1: value, L1: value });
    const rows = againstRows(
      'base',
      ratios.map((ratio) => ({ ours: all(2 * ratio), theirs: all(2) })),
    );
    expect(rows.map(markOf)).toEqual(rows.map(() => mark));
    expect(rows[0]!.detail).toContain(ratios.map((ratio) => ratio.toFixed(2)).join(', '));
  });

  test.each([
    [['--against', 'ee0b65d'], { against: 'ee0b65d' }],
    [['--only', 'f5,T3'], { only: ['F5', 'T3'], size: 'usual' }],
    [['--quick', '--compare', 'kept.jsonl'], { size: 'quick', compare: 'kept.jsonl' }],
    [['--full', '--records', '1000000'], { size: 'full', records: 1_000_000 }],
  ])('takes %j', (args, options) => {
    expect(readBenchOptions(args)).toMatchObject(options);
  });

  test.each([
    [['--only', 'F9'], 'there is no measurement F9'],
    [['--quick', '--full'], 'choose one'],
    [['--records', '12'], 'at least 100'],
  ])('does not take %j', (args, why) => {
    expect(() => readBenchOptions(args)).toThrow(why);
  });

  test('goes through a million records only when asked', () => {
    expect(benchSizes('usual', undefined).stored).toBeLessThan(1_000_000);
    expect(benchSizes('full', undefined)).toMatchObject({ stored: 1_000_000, resets: [1_000, 1_000_000] });
    expect(benchSizes('usual', 20_000)).toMatchObject({ stored: 20_000, runs: [1_000, 10_000, 20_000] });
  });
});

describe('a run beside an earlier one', () => {
  const hard = { hard: true, atMost: 3 } as const;
  const events: Row = { id: 'T1', what: 'events', value: 3, unit: 'count', bound: hard };
  const before = [events, { ...events, what: 'payload', value: NaN }, { ...events, id: 'F4' }];
  const kept = readBenchLines(benchLines(before, 'mongod 8.0.4', new Date(0)));

  test('shows the figure of before, the change, and a mark that is another one', () => {
    const table = benchTable(besideKept([{ ...events, value: 4 }], kept));
    expect(table).toMatch(/id +what +measured +before +change/);
    expect(table).toMatch(/T1 +events +4 +3 +\+33 % +<= 3 +BROKEN, was ok/);
  });

  test('shows what is no longer measured, and nothing of measurements that did not run', () => {
    const rows = besideKept([events], kept);
    expect(rows.map(({ id, what }) => `${id} ${what}`)).toEqual(['T1 events', 'T1 payload']);
    expect(benchTable(rows)).toMatch(/T1 +events +3 +3 += /);
  });

  test('says nothing of before where there is none', () => {
    const table = benchTable(besideKept([{ ...events, what: 'new' }], []));
    expect(table).not.toContain('before');
  });

  test.each(['', 'no JSON', '{"id":"T1","what":"events","value":"3"}', '{"id":"T1"}'])(
    'does not take %j for a run',
    (line) => {
      expect(() => readBenchLines(line)).toThrow('line 1 is not one that the bench writes');
    },
  );
});

describe('what the documents say of the bench', () => {
  const idsIn = (text: string) => [...new Set(text.match(/\b[A-Z]\d\b/g))].sort();
  const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
  const ids = Object.keys(MEASUREMENTS).sort();

  test('its table explains every measurement, and no other', () => {
    const rows = read('test/bench/README.md').matchAll(/^\| ([A-Z]\d) \|/gm);
    expect([...rows].map(([, id]) => id).sort()).toEqual(ids);
  });

  test('every law of the README names what measures it, and every measurement has its law', () => {
    const laws = /## What stays true as it grows\n([^]*?)\nLicence/.exec(read('README.md'))![1]!;
    for (const law of laws.match(/^- .*$/gm)!) expect(law).toMatch(/\([A-Z]\d(, [A-Z]\d)*\)/);
    expect(idsIn(laws)).toEqual(ids);
  });
});
