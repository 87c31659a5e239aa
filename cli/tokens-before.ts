import type { Integration } from '../store/callers/integrations';
import type { Channel } from '../store/channels/channels';

// What a change of tokens or keys records of those before.

export const tokensBefore = ({ token_hashes, old_token_ends_at = null }: Integration) => ({
  tokens: token_hashes.length,
  old_token_ends_at,
});

export const keysBefore = ({ api_key_hashes, old_api_key_ends_at = null }: Channel) => ({
  api_keys: api_key_hashes.length,
  old_api_key_ends_at,
});
