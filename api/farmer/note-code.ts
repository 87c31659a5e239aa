import type { CodeStatus } from '../../domain/code-status';
import { countSignInCode } from '../../metrics/count-sign-in-code';
import { noteCodeActivity } from '../../store/access/code-activity';
import type { Channel } from '../../store/feed/channels';
import type { Deps } from '../route';
import { afterTheAnswer } from './after-the-answer';

/** Counts what became of a code, for metrics and for the alert. */
export function noteCode({ store, log }: Deps, { _id: channel }: Channel, status: CodeStatus): void {
  countSignInCode(status);
  const noted = noteCodeActivity(store, channel, status, new Date());
  afterTheAnswer(
    noted.catch((error: Error) => log.warn({ channel, error: error.message }, 'a code is not in the counts')),
  );
}
