import type { Access } from '../domain/access';
import type { Channel } from '../store/channels/channels';

/** What tokens are bound to, as it is printed and recorded. */
export const accessFacts = ({ expires_at = null, addresses = [] }: Access = {}) => ({
  expires_at,
  addresses,
});

/** The same of a customer's keys. */
export function keyFacts({ key_access }: Channel) {
  const access = accessFacts(key_access);
  return {
    key_expires_at: access.expires_at,
    key_addresses: access.addresses,
  };
}
