import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { pushBody } from './push-body';
import type { SampleTicket } from '../../tools/sample/scale-ticket';
import { TicketSource } from './ticket-source';

/** The callers of one API: a connection a token, each with one push after the other. */
export interface Callers {
  url: string;
  tokens: string[];
  /** Their pushes go under these as well, in turn: one integration alone may not push as much. */
  inTurn?: string[];
  /** Of each push. */
  records: number;
}

/** What one API has answered. */
export interface Pushed {
  /** Milliseconds of each push that was stored, and when each was answered, by the clock of `performance.now()`. */
  times: number[];
  ends: number[];
  /** How often it was 503. */
  refused: number;
}

const SAMPLES = 5_000;
let samples: SampleTicket[] = [];
let sent = 0;

/** Sample tickets over and over, each under an id of its own. */
function ticketsOf(count: number): SampleTicket[] {
  if (samples.length === 0) samples = new TicketSource(SAMPLES).take(SAMPLES);
  return Array.from({ length: count }, () => ({ ...samples[sent % SAMPLES]!, id: `P7-${++sent}` }));
}

/** Pushes to several APIs at once for so many seconds; the pushes that are in flight then are answered first. */
export async function pushUntil(apis: Callers[], seconds: number): Promise<Pushed[]> {
  const end = performance.now() + seconds * 1_000;
  return Promise.all(
    apis.map(async ({ url, tokens, inTurn = [], records }) => {
      const dispatcher = new Agent({ connections: tokens.length });
      const pushed: Pushed = { times: [], ends: [], refused: 0 };
      const call = async (token: string, index: number) => {
        const all = [token, ...inTurn];
        // Through a proxy that several senders share: one address alone may not send as much.
        const sender = `192.0.2.${index + 1}`;
        for (let push = 0; performance.now() < end; push++) {
          const authorization = all[push % all.length]!;
          const body = JSON.stringify(pushBody(ticketsOf(records)));
          const began = performance.now();
          const headers = {
            ...{ authorization, 'content-type': 'application/json' },
            ...{ 'x-request-id': randomUUID(), 'x-forwarded-for': sender },
          };
          const answer = await request(`${url}/api/v1/push`, { method: 'POST', dispatcher, headers, body });
          await answer.body.dump();
          const ended = performance.now();
          if (answer.statusCode === 204) {
            pushed.times.push(ended - began);
            pushed.ends.push(ended);
          } else if (answer.statusCode === 503) pushed.refused++;
          else throw new Error(`${url} answered ${answer.statusCode}`);
        }
      };
      await Promise.all(tokens.map(call));
      await dispatcher.close();
      return pushed;
    }),
  );
}
