import type { Logger } from 'pino';
import type { TextSender } from './text-sender';

/** Sends nothing: the message is logged and the page shows the code in a banner, both without the number. */
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
