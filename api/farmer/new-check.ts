import { randomBytes } from 'node:crypto';
import type { Channel } from '../../store/channels';
import type { FarmerSession } from '../../store/farmer-sessions';

/** A check page that may be saved once, and what it says of the channel: what the farmer agrees to. */
export const newCheck = ({ name, entity_types }: Channel): NonNullable<FarmerSession['check']> => ({
  form: randomBytes(16).toString('base64url'),
  channel_name: name,
  entity_types,
});
