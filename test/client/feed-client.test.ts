import { createServer, type ServerResponse } from 'node:http';
import { createFeedClient, type FeedClient } from '../../client/listen/feed-client';
import { serveHere } from '../setup/serve-here';

async function withAnswer(
  answer: (res: ServerResponse) => void,
  ask: (client: FeedClient) => Promise<unknown>,
): Promise<unknown> {
  const server = createServer((_, res) => answer(res));
  const { port } = await serveHere(server);
  const settings = { url: `http://127.0.0.1:${port}`, token: 't', retryForMs: 0, onWait: () => undefined };
  try {
    return await ask(createFeedClient('acme', settings));
  } finally {
  }
}

// A proxy, or another service, answers in place of ours.
test.each<[status: number, body: unknown, said: string]>([
  [200, { data: [{ entity_type: 'invoices' }] }, 'the service: answered 200'],
  [200, null, 'the service: answered 200'],
  [403, { message: { text: 'no' } }, 'the service: answered 403'],
  [403, { message: 'no', request_id: 'r-1' }, 'the service: no (request r-1)'],
])('an answer %i with %j is an error that names it', async (status, body, said) => {
  const asked = withAnswer(
    (res) => res.writeHead(status).end(JSON.stringify(body)),
    (client) => client.entityTypes(),
  );
  await expect(asked).rejects.toThrow(new Error(said));
});

test.each([
  ['a web page', '<html>'],
  ['another document', '[]'],
  ['no records', '{"meta":{"current_page":1,"total_pages":1}}'],
  ['numbers that are none', '{"data":[],"meta":{"current_page":"\\n","total_pages":1}}'],
])('%s in place of a page is an error that names it', async (_, text) => {
  const asked = withAnswer(
    (res) => res.end(text),
    (client) => client.next('tickets'),
  );
  await expect(asked).rejects.toThrow(new Error('the service: answered 200'));
});

test.each([200, 400])('an answer %i without an end is not read to it', async (status) => {
  let written = 0;
  const endless = (res: ServerResponse) => {
    const more = () => {
      written += 2 ** 20;
      if (!res.destroyed) res.write(Buffer.alloc(2 ** 20, 'x'), more);
    };
    res.on('error', () => undefined).writeHead(status);
    more();
  };
  const asked = withAnswer(endless, (client) => client.next('tickets'));
  await expect(asked).rejects.toThrow(/the service does not answer \(AnswerTooLarge\)/);
  expect(written).toBeLessThan(100 * 2 ** 20);
});
