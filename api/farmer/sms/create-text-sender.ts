import type { Logger } from 'pino';
import type { Language } from '../../../domain/text/language';
import type { SmsSettings } from '../../../domain/settings/settings-rules';
import { drain, sendRequest, wordFor } from '../../../outbound/send-request';
import { NoAnswer, NotTaken, NumberNotTaken, type TextSender } from './text-sender';

/** Makes the sender for the provider in `GDX_SMS_PROVIDER`. */
export function createTextSender(settings: SmsSettings, log: Logger): TextSender {
  switch (settings.provider) {
    case 'console':
      return consoleSender(log);
    case 'webhook':
      return webhookSender(settings.webhook);
    case 'twilio':
      return twilioSender(settings.twilio);
  }
}

/**
 * A sender that sends nothing. It logs the message, and the page shows the code in a banner; neither contains the
 * number.
 */
export function consoleSender(log: Logger): TextSender {
  const show = (what: string, body: string) =>
    log.warn({ text: body }, `${what}: GDX_SMS_PROVIDER is console`);
  return {
    showsCodes: true,
    async send({ body }) {
      show('text message, not sent', body);
    },
    async call({ body }) {
      show('call, not made', body);
    },
  };
}

/** Posts texts to the operator's own service as `{ "to", "body" }`, with an `Idempotency-Key` where one may be repeated, and calls with `via` and `language` added. */
export function webhookSender({ url, token }: { url: string; token: string }): TextSender {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const post = (message: object, more = {}) =>
    postMessage('the text webhook', url, { headers: { ...headers, ...more }, body: JSON.stringify(message) });
  return {
    showsCodes: false,
    send: ({ key, ...message }) => post(message, key && { 'idempotency-key': key }),
    call: ({ to, language, body }) => post({ to, via: 'voice', language, body }),
  };
}

const API = 'https://api.twilio.com';
// Voices of Twilio's <Say>: https://www.twilio.com/docs/voice/twiml/say
const VOICES: Record<Language, string> = { en: 'en-US', es: 'es-MX' };

/**
 * Sends by Twilio's messages and calls: https://www.twilio.com/docs/messaging/api/message-resource,
 * https://www.twilio.com/docs/voice/api/call-resource
 */
export function twilioSender(
  { accountSid, authToken, from, callFrom }: SmsSettings['twilio'],
  api = API,
): TextSender {
  const isService = from.startsWith('MG');
  const caller = callFrom || (isService ? undefined : from);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
  };
  const post = (resource: string, fields: Record<string, string>) =>
    postMessage('twilio', `${api}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/${resource}.json`, {
      headers,
      body: new URLSearchParams(fields).toString(),
    });
  return {
    showsCodes: false,
    send: ({ to, body }) =>
      post('Messages', { [isService ? 'MessagingServiceSid' : 'From']: from, To: to, Body: body }),
    ...(caller && {
      call: ({ to, language, body }) =>
        post('Calls', { From: caller, To: to, Twiml: said(body, VOICES[language]) }),
    }),
  };
}

const said = (body: string, voice: string) =>
  `<Response><Say language="${voice}">${body.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</Say></Response>`;

const TIMEOUT_MS = 8_000;

/** What these say holds for every number: a wrong token, no account or path of that name, too many messages. */
const OF_ALL_NUMBERS = [401, 403, 404, 429];

/** By these a gateway says that the service behind it did not answer. */
const OF_GATEWAYS = [502, 504];

/**
 * Posts a text or a call to a provider. The response is not passed on, since providers repeat the number in their
 * errors.
 * @throws NotTaken when the provider does not accept it; NumberNotTaken where that is for its number, NoAnswer where it does not say so
 */
async function postMessage(
  provider: string,
  url: string,
  options: { headers: Record<string, string>; body: string },
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = sendRequest(url, { method: 'POST', ...options, signal });
  const { ok, status, body } = await sent.catch((error: unknown) => {
    throw new NoAnswer(`${provider} did not answer (${wordFor(error)})`);
  });
  await drain(body);
  if (ok) return;
  if (OF_GATEWAYS.includes(status)) throw new NoAnswer(`${provider} answered ${status}`);
  const isOfNumber = status >= 400 && status < 500 && !OF_ALL_NUMBERS.includes(status);
  throw new (isOfNumber ? NumberNotTaken : NotTaken)(`${provider} answered ${status}`);
}
