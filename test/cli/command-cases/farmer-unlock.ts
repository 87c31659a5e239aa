import { phoneCounts } from '../../../store/access/phone-counts';
import { countAttempt } from '../../../store/access/attempt-counts';
import type { CommandCase } from './command-case';

const PHONE = '7015550142';

export const commandCase: CommandCase = {
  async prepare({ store }) {
    const limit = { limit: 0, windowMs: 60_000 };
    for (const what of Object.values(phoneCounts(PHONE, undefined))) await countAttempt(store, what, limit);
    return ['(701) 555-0142', '--reason', 'Ruth Meyer called from that number'];
  },
  table: { says: /^phone_ending +42\nunlocked +yes$/m, recorded: { about: 'the phone ending in 42' } },
  json: { holds: { phone_ending: '42', unlocked: true } },
  error: { args: ['701'], exitCode: 2, says: /Use ten digits/ },
};
