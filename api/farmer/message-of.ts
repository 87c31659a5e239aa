import type { Language } from '../../domain/language';
import type { CodeWay } from '../../store/access/sign-in-codes';
import type { Channel } from '../../store/feed/channels';
import type { FarmerSettings } from './farmer-state';
import { nameInMessage } from './sms/name-in-message';
import { plainForText } from './sms/plain-for-text';
import { TEXTS } from './texts/texts';

/** What a text with the code says, or a call. It names who asked, by the registered name and no other. */
export function messageOf(
  { via, code, language }: { via: CodeWay; code: string; language: Language },
  channel: Channel,
  settings: FarmerSettings,
): string {
  const { text, call } = TEXTS[language].message;
  if (via === 'call') {
    const digits = Array.from(code).join(', ');
    return call(digits, settings.serviceName, nameInMessage(channel.name) || channel._id);
  }
  const customer = nameInMessage(plainForText(channel.name)) || channel._id;
  const { hostname } = new URL(settings.publicUrl);
  // The last line binds the code to this site, so that phones autofill it only here (web.dev/sms-otp-form).
  return `${plainForText(text(code, settings.serviceName, customer))}\n\n@${hostname} #${code}`;
}
