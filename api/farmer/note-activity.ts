import { timeNow } from '../../domain/time/elapsed';
import type { CodeStatus } from '../../domain/deliveries/code-status';
import { countSignInCode } from '../../telemetry/counts';
import type { Channel } from '../../store/channels/channels';
import { noteCodeActivity, noteCrowded, SHARING_CODES } from '../../store/codes/code-activity';
import { afterTheAnswer } from './after-the-answer';
import type { FarmerDeps } from './farmer-state';

/**
 * Counts the outcome of a code, for metrics and the alert. `of` is the customer of the link; undefined on "who sees my
 * grain data".
 */
export function noteCode({ store, log }: FarmerDeps, of: Channel | undefined, status: CodeStatus): void {
  countSignInCode(status);
  note(log, of, (channel) => noteCodeActivity(store, channel, status, timeNow()));
}

/** Notes for the alert which companies list this farmer's phone for too many names. */
export function notePhoneCrowded(
  { store, log }: FarmerDeps,
  of: Channel | undefined,
  companies: string[],
): void {
  if (companies.length > 0) note(log, of, (channel) => noteCrowded(store, channel, companies, timeNow()));
}

function note(
  log: FarmerDeps['log'],
  of: Channel | undefined,
  write: (channel: string) => Promise<void>,
): void {
  const channel = of?._id ?? SHARING_CODES;
  afterTheAnswer(
    write(channel).catch(({ message: error }: Error) =>
      log.warn({ channel, error }, 'the activity of sign-in codes was not recorded'),
    ),
  );
}
