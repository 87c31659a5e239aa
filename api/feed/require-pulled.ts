import type { Channel } from '../../store/feed/channels';
import { HttpError } from '../http-error';

/** @throws HttpError CHANNEL_PUSHED, CHANNEL_PAUSED */
export function requirePulled({ delivery, state }: Channel): void {
  if (delivery !== 'pull')
    throw new HttpError(
      'CHANNEL_PUSHED',
      'The pages of this channel are posted to you. Ask the operator to let you collect them.',
    );
  if (state === 'paused')
    throw new HttpError('CHANNEL_PAUSED', 'The channel is paused. Ask the operator why.');
}
