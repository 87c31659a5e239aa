import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { freePort } from '../../tools/local/free-port';
import { addIntegration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import { closeAtEnd } from '../setup/close-at-end';
import type { Bench } from './bench';
import { databaseUri } from './open-bench-store';
import { BENCH_COMPANY } from './push-body';
import { startServiceProcess } from './start-service-process';

export interface RunningApi {
  pid: number;
  url: string;
  /** Sends one push, and requires that it is stored. */
  push: (body: Buffer) => Promise<void>;
}

// One integration alone may not push as much as a bench.
const IN_TURN = 16;

/** The real API on this store. `number`: of several at once, each its own. */
export async function startBenchApi(
  bench: Bench,
  store: Store,
  number = 0,
  more: Record<string, string> = {},
): Promise<RunningApi> {
  const tokens: string[] = [];
  while (tokens.length < IN_TURN) {
    const name = `bench api ${number}.${tokens.length}`;
    tokens.push((await addIntegration(store, { name, company: BENCH_COMPANY })).token);
  }
  let pushes = 0;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dispatcher = new Agent();
  const env = {
    PORT: String(port),
    MONGODB_URI: databaseUri(bench.mongodbUri, store.db.databaseName),
    TEMPORAL_ADDRESS: '127.0.0.1:1', // the API serves without it
    ...more,
  };
  const process = await startServiceProcess(bench, 'api', env, number);
  closeAtEnd(() => dispatcher.destroy());
  return {
    pid: process.pid!,
    url,
    async push(body) {
      const answer = await request(`${url}/api/v1/push`, {
        method: 'POST',
        dispatcher,
        headers: {
          authorization: tokens[pushes++ % IN_TURN]!,
          'content-type': 'application/json',
          'x-request-id': randomUUID(),
        },
        body,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 204) throw new Error(`the push was answered ${answer.statusCode}: ${text}`);
    },
  };
}
