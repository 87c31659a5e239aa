import type { Logger } from 'pino';
import type { TextSender } from './text-sender';

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
