import { setImmediate } from 'node:timers/promises';
import { parseRetryAfter } from '../../domain/deliveries/retry-delay';
import { drain, sendRequest } from '../../outbound/send-request';
import { Random } from '../../tools/sample/random';
import { type Behaviour, OddCustomer, onRequest, says } from '../outbound/odd-customer';
import { CLIENTS } from '../outbound/clients';
import { cases, scaledTest } from '../setup/cases';
import { behindInterim } from './interim-answers';
import { padded } from './spell-header';

// As with the JSON routes (fuzz.slow.test.ts).
const { GDX_FUZZ_INPUTS: MANY } = process.env;
const INPUTS = MANY ? Math.ceil(Number(MANY) / 5) : cases(5, 60);
const SEED = process.env.GDX_SEED ?? (MANY ? String(Date.now() % 1_000_000) : '20261121');
const LIMIT_MS = 60_000 + INPUTS * 200;

const MOST_INTERIM = 10;
const FINAL: Record<number, string> = {
  200: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
  400: 'HTTP/1.1 400 No\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  422: 'HTTP/1.1 422 No\r\ncontent-length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
};

let server: OddCustomer;

describe.each(Object.entries(CLIENTS))('%s', (client, send) => {
  scaledTest(
    `is answered by what follows interim answers, and left by a flood of them: ${INPUTS} of seed ${SEED}`,
    async () => {
      const random = new Random(`${SEED} ${client}`);
      let pieces: Buffer[];
      let closes: boolean;
      const behave: Behaviour = (socket) =>
        onRequest(socket, async () => {
          socket.setNoDelay();
          for (const piece of pieces) {
            socket.write(piece);
            await setImmediate();
          }
          if (closes) socket.end();
        });
      server = await OddCustomer.start(behave);
      for (let count = 0; count < INPUTS; count++) {
        const interim = random.integer(0, MOST_INTERIM + 2);
        const status = random.pick([200, 400, 422]);
        pieces = behindInterim(interim, FINAL[status]!, random);
        closes = status === 400;
        const shown = { seed: SEED, count, interim, answer: Buffer.concat(pieces).toString('latin1') };
        const isTaken = await send(server.url).catch(() => false);
        expect({ ...shown, isTaken }).toEqual({
          ...shown,
          isTaken: status === 200 && interim <= MOST_INTERIM,
        });
      }
    },
    LIMIT_MS,
  );
});

scaledTest(
  `a header of an answer is read, however it is written: ${INPUTS} of seed ${SEED}`,
  async () => {
    const random = new Random(`${SEED} Retry-After`);
    const behave: Behaviour = (socket, connection) => behaviours[connection - 1]!(socket, connection);
    const behaviours: Behaviour[] = [];
    server = await OddCustomer.start(behave);
    for (let count = 0; count < INPUTS; count++) {
      const waits = Array.from({ length: random.integer(1, 3) }, () => random.integer(1, 3600));
      const name = random.pick(['Retry-After', 'retry-after', 'RETRY-AFTER']);
      const values = waits.map((wait) => padded(String(wait), random));
      const fields = (random.chance(0.5) ? values : [values.join(',')]).map((value) => `${name}:${value}`);
      fields.push(`X-Entity-Type:${padded('tickets', random)}`);
      behaviours.push(says('HTTP/1.1 429 Slow', 'connection: close', ...fields, 'content-length: 0', '', ''));
      const { headers, body } = await sendRequest(server.url, { signal: AbortSignal.timeout(LIMIT_MS) });
      await drain(body);
      const seen = {
        waitMs: parseRetryAfter(headers['retry-after'], Date.now()),
        type: headers['x-entity-type'],
      };
      expect({ fields, ...seen }).toEqual({ fields, waitMs: Math.max(...waits) * 1000, type: 'tickets' });
    }
  },
  LIMIT_MS,
);
