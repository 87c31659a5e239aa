import pino from 'pino';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { createTextSender } from '../../api/farmer/sms/create-text-sender';
import { twilioSender } from '../../api/farmer/sms/twilio';
import { webhookSender } from '../../api/farmer/sms/webhook';
import { readConfig } from '../../config';
import { linkTo, startFarmers } from './start-farmers';
import { textOf } from './visitor';
import { slowTest } from '../setup/cases';

const MESSAGE = { to: '+17015550142', body: '123456 is your code' };

let status = 201;
const received: { request: IncomingMessage; body: string }[] = [];
const provider = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ request, body });
  response.writeHead(status).end(`{"message":"cannot text ${MESSAGE.to}"}`);
});
let url: string;

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => provider.close());
beforeEach(() => {
  status = 201;
  received.length = 0;
});

test('the webhook gets JSON and its token', async () => {
  await webhookSender({ url: `${url}/texts`, token: 't0k' }).send(MESSAGE);
  const { request, body } = received[0]!;
  expect([request.method, request.url, request.headers.authorization]).toEqual([
    'POST',
    '/texts',
    'Bearer t0k',
  ]);
  expect(JSON.parse(body)).toEqual(MESSAGE);
});

test('twilio gets a form and basic authentication', async () => {
  await twilioSender({ accountSid: 'AC1', authToken: 's', from: 'MG9', callFrom: '' }, url).send(MESSAGE);
  const { request, body } = received[0]!;
  expect(request.url).toBe('/2010-04-01/Accounts/AC1/Messages.json');
  expect(request.headers.authorization).toBe(`Basic ${Buffer.from('AC1:s').toString('base64')}`);
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    MessagingServiceSid: 'MG9',
    To: MESSAGE.to,
    Body: MESSAGE.body,
  });
});

const CALL = { ...MESSAGE, language: 'es', body: 'Sara & Luis: 1, 2, 3' } as const;

test('a call: the webhook is told to read the body out', async () => {
  await webhookSender({ url, token: '' }).call!(CALL);
  expect(JSON.parse(received[0]!.body)).toEqual({
    to: MESSAGE.to,
    via: 'voice',
    language: 'es',
    body: CALL.body,
  });
});

test('a call: twilio says the body in its language', async () => {
  const account = { accountSid: 'AC1', authToken: 's', from: '+17015550100', callFrom: '' };
  await twilioSender(account, url).call!(CALL);
  const { request, body } = received[0]!;
  expect(request.url).toBe('/2010-04-01/Accounts/AC1/Calls.json');
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    From: '+17015550100',
    To: MESSAGE.to,
    Twiml: '<Response><Say language="es-MX">Sara &amp; Luis: 1, 2, 3</Say></Response>',
  });
});

test('a messaging service cannot call: another number does, or nobody is offered a call', async () => {
  const account = { accountSid: 'AC1', authToken: 's', from: 'MG9', callFrom: '' };
  expect(twilioSender(account, url).call).toBeUndefined();
  await twilioSender({ ...account, callFrom: '+17015550101' }, url).call!(CALL);
  expect(new URLSearchParams(received[0]!.body).get('From')).toBe('+17015550101');
});

test.each([400, 429, 500, 302])('a call: %i is not taken', async (answer) => {
  status = answer;
  const account = { accountSid: 'AC1', authToken: 's', from: '+17015550100', callFrom: '' };
  await expect(twilioSender(account, url).call!(CALL)).rejects.toThrow(`twilio answered ${answer}`);
  await expect(webhookSender({ url, token: '' }).call!(CALL)).rejects.not.toThrow(/5550142/);
});

test.each([400, 429, 500, 302])('%i is not taken, and the number is not in the error', async (answer) => {
  status = answer;
  const sending = webhookSender({ url, token: '' }).send(MESSAGE);
  await expect(sending).rejects.toThrow(`the text webhook answered ${answer}`);
  await expect(sending).rejects.not.toThrow(/5550142/);
});

test('a provider that is not there', async () => {
  const sending = webhookSender({ url: 'http://127.0.0.1:1', token: '' }).send(MESSAGE);
  await expect(sending).rejects.toThrow('the text webhook did not answer (ECONNREFUSED)');
});

test('console shows the code in a banner, and only then', async () => {
  const log = pino({ level: 'silent' });
  const shown = createTextSender({ ...readConfig({}).sms, provider: 'console' }, log);
  const farmers = await startFarmers({ sender: shown });
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  await visitor.submit({});
  const code = /The code is (\d{6})/.exec(textOf(visitor.page.html))?.[1] as string;
  await visitor.submit({ code });
  await farmers.stop();
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

slowTest('a call that the provider refuses: the next page says so', async () => {
  const farmers = await startFarmers({ sender: webhookSender({ url, token: '' }) });
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  status = 500;
  await visitor.submit({ do: 'call' });
  await whenAllIsDone();
  await visitor.get('/subscriptions/code');
  expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
    503,
    expect.stringContaining('We could not send you a code'),
  ]);
  status = 201;
  await visitor.get('/subscriptions/phone');
  await visitor.submit({ do: 'call' });
  expect(textOf(visitor.page.html)).toContain('We are calling the number ending in 42');
  await whenAllIsDone();
  const { body } = JSON.parse(received.at(-1)!.body);
  const said = /code is: ((?:\d, ){5}\d)\. Once more: ((?:\d, ){5}\d)\./.exec(body)!;
  expect(said[1]).toBe(said[2]);
  await visitor.submit({ code: said[1]!.replace(/\D/g, '') });
  await farmers.stop();
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

slowTest(
  'where nobody can be called no call is offered, and a form that asks for one gets a text',
  async () => {
    const account = { accountSid: 'AC1', authToken: 's', from: 'MG9', callFrom: '' };
    const farmers = await startFarmers({ sender: twilioSender(account, url) });
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    expect(visitor.page.html).not.toContain('Call me instead');
    await visitor.submit({ do: 'call' });
    expect(visitor.page.html).not.toContain('Call me instead');
    expect(textOf(visitor.page.html)).toContain('Enter the code we texted you');
    await farmers.stop();
    expect(received.map(({ request }) => request.url)).toEqual(['/2010-04-01/Accounts/AC1/Messages.json']);
  },
);

const PRODUCTION = {
  NODE_ENV: 'production',
  GDX_CLOSED_NETWORK: 'the cluster’s own',
  MONGODB_URI: 'mongodb://db.example/gdx',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  GDX_SECRET_KEY: createHash('sha256').update('any').digest('hex'),
  GDX_CUSTOMER_SECRETS_PUBLIC_KEY: createHash('sha256').update('some').digest('hex'),
  GDX_PUBLIC_URL: 'https://gdx.example',
};

test.each([
  [PRODUCTION, /GDX_SMS_PROVIDER must be webhook or twilio in production/],
  [{ ...PRODUCTION, GDX_PUBLIC_URL: 'http://gdx.example' }, /GDX_PUBLIC_URL must begin with https/],
  [{ GDX_SMS_PROVIDER: 'webhook' }, /GDX_SMS_WEBHOOK_URL must be set/],
  [{ GDX_SMS_PROVIDER: 'twilio' }, /GDX_TWILIO_ACCOUNT_SID.*GDX_TWILIO_AUTH_TOKEN.*GDX_TWILIO_FROM/],
  [{ GDX_SMS_PROVIDER: 'pigeon' }, /GDX_SMS_PROVIDER/],
])('the API does not start with %#', (env, message) => {
  expect(() => readConfig(env, 'api')).toThrow(message);
});

test('it starts with a provider', () => {
  const env = { ...PRODUCTION, GDX_SMS_PROVIDER: 'webhook', GDX_SMS_WEBHOOK_URL: 'https://texts.example' };
  expect(() => readConfig(env, 'api')).not.toThrow();
});
