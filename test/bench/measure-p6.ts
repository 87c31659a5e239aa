import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Agent, request } from 'undici';
import { addIntegration } from '../../store/access/integrations';
import type { Store } from '../../store/store';
import { checkout } from '../../tools/local/checkout';
import type { Bench } from './bench';
import { type Contestant, interleave, medianLap, ratio } from './interleave';
import { databaseUri } from './open-bench-store';
import { BENCH_COMPANY, pushBody } from './push-body';
import type { Row } from './row';
import { startBenchApi } from './start-bench-api';
import { TicketSource } from './ticket-source';

const CONNECTIONS = [1, 16, 64] as const;
const PUSHES_A_CONNECTION = 25;

/** Pushes of one new record each over more and more connections, beside a plain route that writes the same body. */
export async function measureP6(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const api = await startBenchApi(bench, store);
  const plain = await startPlainRoute(bench, store);
  const tokens = await addIntegrations(store);
  const times = Object.fromEntries(CONNECTIONS.map((count) => [count, [] as number[]]));
  const contestants: Record<string, Contestant> = {};
  for (const count of CONNECTIONS) {
    contestants[`ours ${count}`] = load(count, `${api.url}/api/v1/push`, tokens, times[count]!);
    contestants[`plain ${count}`] = load(count, plain.url, tokens, []);
  }
  try {
    bench.note(`P6: pushes of one record over ${CONNECTIONS.join(', ')} connections`);
    const laps = await interleave(contestants, bench.sizes.rounds);
    const wall = (name: string) => medianLap(laps[name]!);
    const shown = (count: number) =>
      `${count}: ${Math.round(1_000 / wall(`ours ${count}`))}/s, p50 ${at(times[count]!, 0.5)} ms, p99 ${at(times[count]!, 0.99)} ms`;
    const detail = CONNECTIONS.map(shown).join('; ');
    return [
      row(
        'pushes a second over 64 connections: ours / plain route',
        ratio(laps['plain 64']!, laps['ours 64']!),
        0.5,
        detail,
      ),
      row('pushes a second: 64 connections / 1', wall('ours 1') / wall('ours 64'), 5),
      {
        ...row('p99 / p50 over 64 connections', at(times[64]!, 0.99) / at(times[64]!, 0.5), 0),
        bound: { hard: false, atMost: 3 },
      },
    ];
  } finally {
    plain.stop();
    await api.stop();
  }
}

const row = (what: string, value: number, atLeast: number, detail = ''): Row => {
  return { id: 'P6', what, value, unit: 'x', bound: { hard: false, atLeast }, detail };
};

const source = new TicketSource(150_000);

/** So many callers, each with a connection and an integration of its own, one push after the other. */
function load(connections: number, url: string, tokens: string[], times: number[]): Contestant {
  const dispatcher = new Agent({ connections });
  let bodies: string[][] = [];
  const callAll = async (authorization: string, mine: string[]) => {
    for (const body of mine) {
      const began = performance.now();
      const headers = { authorization, 'content-type': 'application/json', 'x-request-id': randomUUID() };
      const answer = await request(url, { method: 'POST', dispatcher, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 204) throw new Error(`${url} answered ${answer.statusCode}`);
      times.push(performance.now() - began);
    }
  };
  return {
    prepare: async () => {
      bodies = Array.from({ length: connections }, () =>
        source.take(PUSHES_A_CONNECTION).map((ticket) => JSON.stringify(pushBody([ticket]))),
      );
    },
    run: async () => void (await Promise.all(bodies.map((mine, index) => callAll(tokens[index]!, mine)))),
    units: connections * PUSHES_A_CONNECTION,
  };
}

/** One a connection: an integration alone may not send as much. */
async function addIntegrations(store: Store): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < Math.max(...CONNECTIONS); number++)
    tokens.push((await addIntegration(store, { name: `bench ${number}`, company: BENCH_COMPANY })).token);
  return tokens;
}

async function startPlainRoute(bench: Bench, { db }: Store): Promise<{ url: string; stop: () => void }> {
  const script = path.join(checkout, 'dist/test/bench/plain-route-process.js');
  const child = fork(script, [databaseUri(bench.mongodbUri, db.databaseName)]);
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.disconnect() };
}

function at(times: number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return Number((sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1));
}
