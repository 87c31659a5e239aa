import type { Language } from '../../domain/language';
import type { Channel } from '../../store/channels/channels';
import type { CodeWay } from '../../store/codes/sign-in-codes';
import type { FarmerSettings } from './farmer-state';
import { shortSharingUrl } from './paths';
import { nameInMessage, plainForText } from './sms/text-of-message';
import { TEXTS } from './texts/texts';

/**
 * Writes the text or call with a code. It says who asked for the code by a registered name only: the customer, or on
 * "who sees my grain data" the farmer.
 */
export function messageOf(
  { via, code, language, isForCopy }: { via: CodeWay; code: string; language: Language; isForCopy?: boolean },
  channel: Channel | undefined,
  settings: FarmerSettings,
): string {
  const { text, call, askedBy } = TEXTS[language].message;
  const asked = (written: (name: string) => string) =>
    channel
      ? askedBy.customer(nameInMessage(written(channel.name)) || channel._id)
      : isForCopy
        ? askedBy.copy
        : askedBy.farmer;
  if (via === 'call')
    return call(
      Array.from(code).join(', '),
      settings.serviceName,
      asked((name) => name),
    );
  const { hostname } = new URL(settings.publicUrl);
  const body = text(code, settings.serviceName, asked(plainForText), shortSharingUrl(settings));
  // The last line binds the code to this site, so that phones autofill it only here (web.dev/sms-otp-form).
  return `${plainForText(body)}\n\n@${hostname} #${code}`;
}
