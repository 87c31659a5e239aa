import type { Logger } from 'pino';
import { consoleSender } from './console';
import type { TextSender } from './text-sender';
import { type TwilioSettings, twilioSender } from './twilio';
import { webhookSender } from './webhook';

interface TextSettings {
  provider: 'console' | 'webhook' | 'twilio';
  webhook: { url: string; token: string };
  twilio: TwilioSettings;
}

/** The provider of `GDX_SMS_PROVIDER`. */
export function createTextSender(settings: TextSettings, log: Logger): TextSender {
  switch (settings.provider) {
    case 'console':
      return consoleSender(log);
    case 'webhook':
      return webhookSender(settings.webhook);
    case 'twilio':
      return twilioSender(settings.twilio);
  }
}
