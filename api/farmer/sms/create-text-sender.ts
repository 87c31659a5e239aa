import type { Logger } from 'pino';
import type { SmsSettings } from '../../../domain/settings-rules';
import { consoleSender } from './console';
import type { TextSender } from './text-sender';
import { twilioSender } from './twilio';
import { webhookSender } from './webhook';

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
