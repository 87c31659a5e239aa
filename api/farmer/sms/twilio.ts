import type { Language } from '../../../domain/language';
import type { SmsSettings } from '../../../domain/settings-rules';
import { postMessage } from './post-message';
import type { TextSender } from './text-sender';

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
