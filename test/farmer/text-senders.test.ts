import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import pino from 'pino';
import { renderToString } from 'preact-render-to-string';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { messageOf } from '../../api/farmer/send-code';
import { checkDigest } from '../../api/farmer/new-check';
import { checkPage } from '../../api/farmer/pages/check-page';
import { createTextSender, twilioSender, webhookSender } from '../../api/farmer/sms/create-text-sender';
import { NoAnswer, NumberNotTaken } from '../../api/farmer/sms/text-sender';
import { nameInMessage, plainForText } from '../../api/farmer/sms/text-of-message';
import { CONSENT_TEXT_VERSION, TEXTS } from '../../api/farmer/texts/texts';
import { readConfig } from '../../config';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { type Language, LANGUAGES } from '../../domain/text/language';
import { termsOf } from '../../api/farmer/steps/receipt-step';
import type { Consent } from '../../store/consent/consents';
import type { Channel } from '../../store/channels/channels';
import { slowTest } from '../setup/cases';
import { linkTo, startFarmers } from './start-farmers';
import { textOf } from './visitor';
import { serveHere } from '../setup/serve-here';

describe('text senders', () => {
  const SERVICE = { accountSid: 'AC1', authToken: 's', from: 'MG9', callFrom: '' }; // of Twilio’s messages
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
    ({ url } = await serveHere(provider));
  });
  beforeEach(() => {
    status = 201;
    received.length = 0;
  });

  test('the webhook gets JSON and its token', async () => {
    await webhookSender({ url: `${url}/texts`, token: 't0k' }).send(MESSAGE);
    const { request, body } = received[0]!;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/texts',
      headers: { authorization: 'Bearer t0k' },
    });
    expect(JSON.parse(body)).toEqual(MESSAGE);
    expect(request.headers).not.toHaveProperty('idempotency-key');
    await webhookSender({ url, token: '' }).send({ ...MESSAGE, key: 'k1' });
    expect(received[1]!.request.headers['idempotency-key']).toBe('k1');
    expect(JSON.parse(received[1]!.body)).toEqual(MESSAGE);
  });

  test('twilio gets a form and basic authentication', async () => {
    await twilioSender(SERVICE, url).send(MESSAGE);
    const { request, body } = received[0]!;
    expect(request.url).toBe('/2010-04-01/Accounts/AC1/Messages.json');
    expect(request.headers.authorization).toBe(`Basic ${Buffer.from('AC1:s').toString('base64')}`);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      MessagingServiceSid: 'MG9',
      To: MESSAGE.to,
      Body: MESSAGE.body,
    });
  });

  const NUMBER = { ...SERVICE, from: '+17015550100' };
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
    await twilioSender(NUMBER, url).call!(CALL);
    const { request, body } = received[0]!;
    expect(request.url).toBe('/2010-04-01/Accounts/AC1/Calls.json');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      From: '+17015550100',
      To: MESSAGE.to,
      Twiml: '<Response><Say language="es-MX">Sara &amp; Luis: 1, 2, 3</Say></Response>',
    });
  });

  test('a messaging service cannot call: another number does, or nobody is offered a call', async () => {
    expect(twilioSender(SERVICE, url).call).toBeUndefined();
    await twilioSender({ ...SERVICE, callFrom: '+17015550101' }, url).call!(CALL);
    expect(new URLSearchParams(received[0]!.body).get('From')).toBe('+17015550101');
  });

  test.each([400, 429, 500, 302])('%i is not taken, and the number is not in the error', async (answer) => {
    status = answer;
    const sender = webhookSender({ url, token: '' });
    for (const trying of [sender.send(MESSAGE), sender.call!(CALL)]) {
      await expect(trying).rejects.toThrow(`the text webhook answered ${answer}`);
      await expect(trying).rejects.not.toThrow(/5550142/);
    }
    await expect(twilioSender(NUMBER, url).call!(CALL)).rejects.toThrow(`twilio answered ${answer}`);
  });

  test.each([
    [400, true],
    [410, true],
    [401, false],
    [404, false],
    [403, false],
    [429, false],
    [500, false],
  ])('%i is said of the number alone: %s', async (answer, isOfNumber) => {
    status = answer;
    for (const sender of [webhookSender({ url, token: '' }), twilioSender(NUMBER, url)]) {
      const refused: unknown = await sender.send(MESSAGE).catch((error: unknown) => error);
      expect(refused instanceof NumberNotTaken).toBe(isOfNumber);
    }
  });

  test.each([
    [502, true],
    [504, true],
    [500, false],
    [503, false],
    [400, false],
  ])('%i is the word of a gateway, behind which a message may have been sent: %s', async (answer, isNone) => {
    status = answer;
    const refused: unknown = await webhookSender({ url, token: '' })
      .send(MESSAGE)
      .catch((error: unknown) => error);
    expect(refused instanceof NoAnswer).toBe(isNone);
  });

  test('a provider that is not there', async () => {
    const sending = webhookSender({ url: 'http://127.0.0.1:1', token: '' }).send(MESSAGE);
    await expect(sending).rejects.toThrow('the text webhook did not answer (ECONNREFUSED)');
    await expect(sending).rejects.toThrow(NoAnswer);
  });

  slowTest('console shows the code in a banner, and only then', async () => {
    const log = pino({ level: 'silent' });
    const shown = createTextSender({ ...readConfig({}).sms, provider: 'console' }, log);
    const farmers = await startFarmers({ sender: shown });
    const { visitor } = await farmers.asked();
    const code = /The code is (\d{6})/.exec(visitor.text)?.[1] as string;
    await visitor.submit({ code });
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
    expect(visitor.page.status).toBe(503);
    expect(visitor.text).toContain('We could not send you a code');
    status = 201;
    await visitor.get('/subscriptions/phone');
    await visitor.submit({ do: 'call' });
    expect(visitor.text).toContain('We are calling the number ending in 42');
    await whenAllIsDone();
    const { body } = JSON.parse(received.at(-1)!.body);
    const said = /code is: ((?:\d, ){5}\d)\. Once more: ((?:\d, ){5}\d)\./.exec(body)!;
    expect(said[1]).toBe(said[2]);
    await visitor.submit({ code: said[1]!.replace(/\D/g, '') });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
  });

  slowTest(
    'where nobody can be called no call is offered, and a form that asks for one gets a text',
    async () => {
      const farmers = await startFarmers({ sender: twilioSender(SERVICE, url) });
      const visitor = farmers.visitor();
      await visitor.get(linkTo());
      expect(visitor.page.html).not.toContain('Call me instead');
      await visitor.submit({ do: 'call' });
      expect(visitor.page.html).not.toContain('Call me instead');
      expect(visitor.text).toContain('Enter the code we texted you');
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
});

describe('messages', () => {
  const SETTINGS = { ...readConfig({}), publicUrl: 'https://farmers.grain-data-exchange.example' };
  const said = (name: string, via: 'text' | 'call' = 'text', language: 'en' | 'es' = 'en') =>
    messageOf({ via, code: '012345', language }, { _id: 'acme', name } as Channel, SETTINGS);

  test('a text: the code first, who asked, never to pass it on, and the line that binds it to this site', () => {
    expect(said('Acme Crop Insurance')).toBe(
      '012345 is your Grain Data Exchange code. Acme Crop Insurance asked for it. Tell no one. Who sees your data: farmers.grain-data-exchange.example/sharing\n\n@farmers.grain-data-exchange.example #012345',
    );
    expect(said('Aseguradora Ñandú', 'text', 'es')).toBe(
      '012345 es su codigo de Grain Data Exchange. Lo pide Aseguradora Ñandu. No lo dé a nadie. Quién ve sus datos: farmers.grain-data-exchange.example/sharing\n\n@farmers.grain-data-exchange.example #012345',
    );
  });

  test('a call reads the digits one by one, twice', () => {
    for (const language of LANGUAGES)
      expect(said('Acme', 'call', language).match(/0, 1, 2, 3, 4, 5\./g)).toHaveLength(2);
  });

  test.each(LANGUAGES)('%s: two parts at most, of characters that every phone has', (language) => {
    const text = said('W'.repeat(200), 'text', language);
    expect(text.length).toBeLessThanOrEqual(306);
    expect(plainForText(text)).toBe(text);
  });

  test.each(LANGUAGES)('%s: one part, of names of 19 letters and a host of 15', (language) => {
    const short = { ...SETTINGS, publicUrl: 'https://grain.example.c' };
    const name = 'Acme Crop Insurance';
    const [code, channel] = [
      { via: 'text', code: '012345', language } as const,
      { _id: 'a', name } as Channel,
    ];
    const { begun, stopped, changed, ending, other, yearly } = TEXTS[language].message;
    const all = [begun, stopped, changed, yearly].map((say) => [say, ''] as const);
    const said = [...all, [ending, '2026-09-30'] as const, [other, '42'] as const];
    const texts = [
      messageOf(code, channel, short),
      messageOf(code, undefined, short),
      messageOf({ ...code, isForCopy: true }, undefined, short),
      ...said.map(([say, more]) => say('Grain Data Exchange', [name], 0, 'grain.example.c/sharing', more)),
    ];
    for (const text of texts) expect([text, plainForText(text).length]).toEqual([text, expect.any(Number)]);
    expect(Math.max(...texts.map((text) => plainForText(text).length))).toBeLessThanOrEqual(160);
  });

  test.each([
    ['Acme\nCrop\u202e Insurance', 'Acme Crop Insurance'],
    ['win.example.com', 'win example com'],
    ['https://win.example/x?y=1', 'https win example x y 1'],
    ['Acme @evil.example #999999', 'Acme evil example 999999'],
    ['Smith & Sons, Inc. (Fargo)', 'Smith & Sons, Inc. (Fargo)'],
    [`${'Very '.repeat(12)}Long`, 'Very Very Very Very Very Very Very Very...'],
  ])('the name %j is written %j', (name, written) => expect(nameInMessage(name)).toBe(written));

  test('a name of which nothing is left is the channel’s', () =>
    expect(said('保險')).toContain('code. acme asked for it'));
});

describe('consent text', () => {
  // Every version that farmers have agreed to: what its page said, and what a receipt says of it for ever. A new text gets a new line,
  // not a new value.
  const AGREED: Record<string, { page: string; receipt: string }> = {
    '2026-11-21': { page: '8398b8064c3798de', receipt: 'd9782a9306e1ca34' },
    '2026-11-22': { page: '7107b63df0ffe3ae', receipt: 'd9782a9306e1ca34' },
    '2026-11-23': { page: 'a7a8e90df8fe72c4', receipt: 'd9782a9306e1ca34' },
    '2026-11-24': { page: '5625b8fc60dc9a0e', receipt: 'd9782a9306e1ca34' },
    '2026-11-26': { page: '75978997a9cbdfc8', receipt: 'd9782a9306e1ca34' },
    '2026-11-27': { page: '94bc816955939ca4', receipt: '56cc419399996405' },
    '2026-11-28': { page: 'ce052b072f180066', receipt: '56cc419399996405' },
    '2026-11-29': { page: 'be583479f55fe5c2', receipt: 'b4413a480478fab6' },
    '2026-11-30': { page: 'c9940e790be6cd79', receipt: 'a77c184d36bedec0' },
  };

  const account = (name: string) => ({
    id: name,
    remote_id: name,
    name,
    company: { id: '42', name: 'Co-op' },
    granted: false,
    offered: true,
  });

  function checkText(
    language: Language,
    endsOn: string,
    { collects = false, unmoved = false, late = false, widens = false } = {},
  ): string {
    const newSince = '2027-01-05';
    const kept = { ...account('b'), endsOn: '2027-07-31', offered: false, ...(late && { newSince }) };
    const page = checkPage({
      context: {
        texts: TEXTS[language],
        language,
        service: 'Service',
        action: '/',
        csrf: '',
        verified: false,
      },
      customer: 'Acme',
      displayName: 'A',
      partnerId: 'P',
      entityTypes: [...ENTITY_TYPES],
      collects,
      cadenceMs: 3_600_000,
      form: '',
      sharingUrl: 'https://service/sharing',
      purpose: 'PURPOSE',
      passesOn: unmoved ? [] : ['Bison', 'Credit'],
      today: '2027-01-07',
      plan: {
        start: [account('a')],
        keep: [kept],
        moved: [],
        widened: widens ? [kept] : [],
        earlier: !late || widens,
        unmoved: unmoved ? [kept] : [],
        stop: [account('c')],
        declined: [],
        endsOn,
      },
    });
    return textOf(renderToString(page));
  }

  test('what is agreed to does not change under its version', () => {
    const texts = LANGUAGES.flatMap((language) =>
      ['', '2027-10-31'].flatMap((end) => [
        checkText(language, end),
        checkText(language, end, { collects: true, unmoved: true }),
        checkText(language, end, { late: true }),
        checkText(language, end, { late: true, widens: true }),
      ]),
    ).join('\n');
    const hash = createHash('sha256').update(texts).digest('hex').slice(0, 16);
    expect(AGREED[CONSENT_TEXT_VERSION]?.page).toBe(hash);
  });

  test.each(Object.keys(AGREED))('a receipt says of a grant what its version said: %s', (text_version) => {
    const act = {
      act: 'grant',
      channel_name: 'Acme',
      entity_types: [...ENTITY_TYPES],
      at: new Date('2026-11-27T12:00:00Z'),
      text_version,
    };
    const said = ['Bison', 'Credit'];
    const terms =
      text_version < '2026-11-27'
        ? [{}]
        : [
            { earlier: true },
            { earlier: false, purpose: 'PURPOSE', passes_on: said },
            { passes_on: [], earlier: true },
          ];
    const lines = LANGUAGES.flatMap((language) =>
      terms.flatMap((one) => termsOf({ ...act, ...one, language } as unknown as Consent, TEXTS[language])),
    );
    const hash = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
    expect(AGREED[text_version]!.receipt).toBe(hash);
  });

  test.each(LANGUAGES)('whoever shares reads that notes of a grain company may be sent: %s', (language) => {
    expect(checkText(language, '')).toContain(TEXTS[language].what.more);
  });

  test('only the types that the channel gets are named, and what it says of itself', () => {
    const text = checkText('en', '', { late: true });
    expect(text).toMatch(/Acme says: “PURPOSE” It says it may pass them on to Bison and Credit\./);
    expect(text).toMatch(/Of these accounts only what is new or changes: .*January 7, 2027.*January 5, 2027/);
    expect(text).toContain('About hourly, if anything changed.');
  });

  const kept = { ...account('b'), endsOn: '2027-07-31', offered: false };
  const plan = {
    start: [account('a')],
    keep: [kept],
    moved: [],
    widened: [],
    earlier: true,
    unmoved: [kept],
    stop: [account('c')],
    declined: [],
    endsOn: '',
  };
  const shown = {
    session: { language: 'en' },
    channel: { name: 'Acme', entity_types: ['tickets'], cadence_ms: 1 },
  } as Parameters<typeof checkDigest>[0];

  const saysOn = (some: Partial<typeof plan>, today: string) =>
    checkDigest(shown, {
      plan: { ...plan, ...some },
      days: { today, first: '', last: '' },
      stop: 'last stop',
    });

  test('what a page has said is known with the version of its text: a release in between asks again', () => {
    const terms = ['Acme', ['tickets'], 'push', 1, false, '', true, 'last stop'];
    const accounts = [['a'], ['b'], [], ['c']].map((ids) =>
      ids.map((id) => JSON.stringify([id, account(id).name, account(id).company.name])),
    );
    const said = [CONSENT_TEXT_VERSION, 'en', terms, null, null, accounts, ['2027-07-31 b'], []];
    const digest = createHash('sha256').update(JSON.stringify(said)).digest('base64url');
    expect(saysOn({}, '2027-01-07')).toBe(digest);
  });

  test('and with the day from which only what is new is shared: a page that is saved after midnight asks again', () => {
    const late = { earlier: false };
    expect(saysOn(late, '2027-01-08')).not.toBe(saysOn(late, '2027-01-07'));
    expect(saysOn({}, '2027-01-08')).toBe(saysOn({}, '2027-01-07')); // with the earlier records no day is shown
    expect(saysOn({ ...late, start: [] }, '2027-01-08')).toBe(saysOn({ ...late, start: [] }, '2027-01-07'));
    const since = (day: string) => ({ keep: [{ ...kept, newSince: day }] });
    expect(saysOn(since('2027-01-05'), '2027-01-07')).not.toBe(saysOn(since('2027-01-06'), '2027-01-07'));
  });
});
