import { postText } from './post-text';
import type { TextSender } from './text-sender';

const API = 'https://api.twilio.com';

/** Twilio's Programmable Messaging: https://www.twilio.com/docs/messaging/api/message-resource */
export function twilioSender(
  { accountSid, authToken, from }: { accountSid: string; authToken: string; from: string },
  api = API,
): TextSender {
  const sender = from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from };
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
  };
  const url = `${api}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  return {
    showsCodes: false,
    send: ({ to, body }) =>
      postText('twilio', url, {
        headers,
        body: new URLSearchParams({ ...sender, To: to, Body: body }).toString(),
      }),
  };
}
