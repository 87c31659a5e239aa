import type { Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import type { ConsentAct } from '../../store/consent/consents';
import { grant, revoke } from '../../store/sharing/grant-and-revoke';
import type { SubscriptionKey } from '../../store/consent/subscriptions';

/** What the farmer's page makes of accounts that are chosen. */
export const actsOf = (
  act: ConsentAct['act'],
  keys: SubscriptionKey[],
  entity_types: Channel['entity_types'] = [],
): ConsentAct[] =>
  keys.map(({ channel, partner_id, farmer, account }) => {
    const key = { channel, partner_id, farmer, account };
    const read = { text_version: '1', language: 'en', request_id: 'test' };
    return { act, ...key, channel_name: 'Acme', entity_types, ...read };
  });

/** As the farmer's page does. @returns how many were not granted before */
export async function grantAccounts(
  store: Store,
  channel: Channel,
  keys: SubscriptionKey[],
  phoneEnding = '42',
  earlier = true,
): Promise<number> {
  const acts = actsOf('grant', keys, channel.entity_types).map((act) => ({ ...act, earlier }));
  return (await grant(store, channel, acts, { phoneEnding })).changed;
}

/** @returns how many were granted before */
export async function revokeAccounts(store: Store, keys: SubscriptionKey[]): Promise<number> {
  return (await revoke(store, actsOf('revoke', keys))).changed;
}
