import { createServiceClient } from '../../client/service/service-client';
import { postPage } from '../../outbound/post-page';
import { parseRetryAfter } from '../../domain/deliveries/retry-delay';
import { OddCustomer, says } from './odd-customer';
import { loopbackAgent } from '../setup/loopback-agent';

const agent = loopbackAgent();
let server: OddCustomer;

const answers = async (status: string, ...fields: string[]) => {
  server = await OddCustomer.start(says(`HTTP/1.1 ${status}`, ...fields, 'content-length: 0', '', ''));
};

const NOW = Date.parse('2026-11-21T08:00:00Z');
const RETRY_AFTER: [fields: string[], waitMs: number | undefined][] = [
  [['Retry-After: 20 '], 20_000],
  [['Retry-After: 20\t'], 20_000],
  [['retry-after:\t 20 \t '], 20_000],
  [['RETRY-AFTER:20'], 20_000],
  [['Retry-After: Sat, 21 Nov 2026 08:10:00 GMT '], 600_000],
  [['Retry-After: 20', 'retry-after: 30 '], 30_000],
  [['Retry-After: soon', 'Retry-After: 30'], 30_000],
  [['Retry-After: \t '], undefined],
];

test.each(RETRY_AFTER)('a page answered with %j waits %s ms', async (fields, waitMs) => {
  await answers('429 Slow', ...fields);
  const page = { url: server.url, headers: {}, body: Buffer.from('{}') };
  const answer = await postPage(agent, page, new AbortController().signal, async () => false);
  expect(answer.status).toBe(429);
  expect(parseRetryAfter(answer.status === null ? '' : answer.retryAfter, NOW)).toBe(waitMs);
});

test.each(['20 ', '\t20\t'])('`gdx push` and `gdx listen` wait as long as %j says', async (text) => {
  await answers('503 Busy', `Retry-After:${text}`);
  const waited = new Promise((wait) => {
    const onWait = (_why: string, waitMs: number) => {
      wait(waitMs);
      throw new Error('waited');
    };
    const ask = createServiceClient({ url: server.url, token: 't', retryForMs: undefined, onWait });
    void ask('/').catch(() => undefined);
  });
  expect(await waited).toBe(20_000);
});

test('`gdx listen` reads the headers of a page without the blanks around them', async () => {
  await answers('200 OK', 'Webhook-ID: msg_1 ', 'webhook-signature:\tv1,a v1,b\t', 'x-entity-type: tickets');
  const ask = createServiceClient({ url: server.url, token: 't', retryForMs: 0, onWait: () => undefined });
  expect((await ask('/')).headers).toMatchObject({
    'webhook-id': 'msg_1',
    'webhook-signature': 'v1,a v1,b',
    'x-entity-type': 'tickets',
  });
});
