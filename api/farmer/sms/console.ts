import type { Logger } from 'pino';
import type { TextSender } from './text-sender';

/** Sends nothing: the log has the text, and the page a yellow banner. The number is in neither. */
export function consoleSender(log: Logger): TextSender {
  return {
    showsCodes: true,
    async send({ body }) {
      log.warn({ text: body }, 'text message, not sent: GDX_SMS_PROVIDER is console');
    },
  };
}
