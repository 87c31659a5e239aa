import type { CodeStatus } from '../../domain/code-status';
import { countSignInCode } from '../../metrics/count-sign-in-code';
import { noteCodeActivity } from '../../store/codes/code-activity';
import type { Channel } from '../../store/channels/channels';
import { afterTheAnswer } from './after-the-answer';
import type { FarmerDeps } from './farmer-state';

/** Counts what became of a code, for metrics and, where a customer's link led to it, for the alert. */
export function noteCode({ store, log }: FarmerDeps, of: Channel | undefined, status: CodeStatus): void {
  countSignInCode(status);
  if (!of) return;
  const { _id: channel } = of;
  const noted = noteCodeActivity(store, channel, status, new Date());
  afterTheAnswer(
    noted.catch((error: Error) => log.warn({ channel, error: error.message }, 'a code is not in the counts')),
  );
}
