import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { twilioSender, webhookSender } from '../../api/farmer/sms/create-text-sender';
import { first, scaledTest } from '../setup/cases';
import { linkTo, startFarmers } from './start-farmers';
import { serveHere } from '../setup/serve-here';

const ACCOUNT = { accountSid: 'AC1', authToken: 's', from: '+17015550100', callFrom: '' };

describe.each([
  ['hangs', async () => new Promise<number>(() => {})],
  ['answers 500 after 30 s', () => sleep(30_000, 500, { ref: false })],
])('a provider that %s', (_, answer) => {
  const provider = createServer(async (_request, response) => {
    response.writeHead(await answer()).end();
  });
  let url: string;
  beforeAll(async () => {
    ({ url } = await serveHere(provider));
  });

  const ways = [
    ['text', 'twilio', () => twilioSender(ACCOUNT, url)],
    ['call', 'twilio', () => twilioSender(ACCOUNT, url)],
    ['text', 'the webhook', () => webhookSender({ url, token: '' })],
    ['call', 'the webhook', () => webhookSender({ url, token: '' })],
  ] as const;
  scaledTest.each(first(1, ways))(
    'a %s by %s: nobody waits for it, and the page says so within 10 s',
    async (way, _name, sender) => {
      const farmers = await startFarmers({ sender: sender() });
      const visitor = farmers.visitor();
      await visitor.get(linkTo());
      const started = performance.now();
      await visitor.submit({ do: way });
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(visitor.page.path).toBe('/subscriptions/code');
      await whenAllIsDone();
      expect(performance.now() - started).toBeLessThan(12_000);
      await visitor.get('/subscriptions/code');
      expect(visitor.text).toContain('We could not send you a code');
    },
  );
});
