import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { addIntegration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import type { Contestant } from './interleave';
import { BENCH_COMPANY, pushBody } from './push-body';
import type { TicketSource } from './ticket-source';

/** Callers, each with a connection and an integration of its own, who send one push after the other. */
export interface PushLoad {
  url: string;
  /** One a caller: an integration alone may not send as much. */
  tokens: string[];
  /** Of each caller, and the records of each. */
  pushes: number;
  records: number;
  source: TicketSource;
  /** Takes the milliseconds of every push. */
  times?: number[];
}

export function loading({ url, tokens, pushes, records, source, times = [] }: PushLoad): Contestant {
  const dispatcher = new Agent({ connections: tokens.length });
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
      const body = () => JSON.stringify(pushBody(source.take(records)));
      bodies = tokens.map(() => Array.from({ length: pushes }, body));
    },
    run: async () => void (await Promise.all(tokens.map((token, index) => callAll(token, bodies[index]!)))),
    units: tokens.length * pushes,
  };
}

/** @returns the tokens of so many integrations of one company */
export async function addIntegrations(store: Store, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < count; number++)
    tokens.push((await addIntegration(store, { name: `bench ${number}`, company: BENCH_COMPANY })).token);
  return tokens;
}
