import type { Logger } from 'pino';
import type { SmsSettings } from '../../../domain/settings-rules';
import { postMessage } from './post-message';
import type { TextSender } from './text-sender';
import { twilioSender } from './twilio';

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

/** Posts texts to the operator's own service as `{ "to", "body" }`, and calls with `via` and `language` added. */
export function webhookSender({ url, token }: { url: string; token: string }): TextSender {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const post = (message: object) =>
    postMessage('the text webhook', url, { headers, body: JSON.stringify(message) });
  return {
    showsCodes: false,
    send: post,
    call: ({ to, language, body }) => post({ to, via: 'voice', language, body }),
  };
}
