import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Store } from '../../store/store';
import { countFeed } from './count-feed';
import { countPushOperations } from './count-push-operations';
import { interleave, ratio } from './interleave';
import { dropBenchStore, openBenchStore } from './open-bench-store';
import { benchTable } from './print-bench-table';
import { markOf, type Row } from './row';

// What the database is asked for each page and each push is a rule, not a matter of speed (F4 and P2 of test/bench/README.md).
describe('the hard gates on counts', () => {
  let store: Store;

  beforeEach(async () => {
    store = await openBenchStore(process.env.MONGODB_URI as string, { monitored: true });
  });
  afterEach(() => dropBenchStore(store));

  test('F4: a page costs one find, one read of the channel and one move of the marker', async () => {
    const sink = createServer((request, response) => request.resume().on('end', () => response.end()));
    await new Promise<void>((listening) => sink.listen(0, '127.0.0.1', listening));
    const agent = loopbackAgent();
    const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    const rows = await countFeed(store, agent, url, { pages: 53, pageSize: 2 });
    await agent.close();
    sink.close();
    expect(broken(rows)).toEqual([]);
    expect(rows).toHaveLength(8);
  });

  test('P1, P2: a push sends no command a record, and once more writes no record', async () => {
    const rows = await countPushOperations(store, 10);
    expect(broken(rows)).toEqual([]);
    expect(rows).toHaveLength(3);
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

  test('lets the contestants take turns and drops the first round', async () => {
    const turns: string[] = [];
    const contestant = (name: string) => ({ run: async () => void turns.push(name), units: 1 });
    const laps = await interleave({ a: contestant('a'), b: contestant('b') }, 3);
    expect(turns.join('')).toBe('ababab');
    expect(laps.a).toHaveLength(2);
    expect(ratio([{ wall: 6, cpu: 1 }], [{ wall: 3, cpu: 1 }])).toBe(2);
  });
});
