import { randomBytes } from 'node:crypto';
import type { EntityType } from '../../domain/records/entity-types';
import type { ChannelSettings } from '../../store/channels/channels';
import { listActions, type OperatorAction } from '../../store/callers/operator-actions';
import { addIntegration } from '../../store/callers/integrations';
import { setAside } from '../../store/deliveries/set-aside';
import { subscriptionId } from '../../store/consent/subscriptions';
import { ofEachCollection } from '../api/stored-of';
import { addTestChannel } from '../setup/add-test-channel';
import { startDesk } from './start-desk';

export type CliScene = Awaited<ReturnType<typeof openCliScene>>;

/** A desk with three tickets and an elevator of company 42, which can add channels. */
export async function openCliScene() {
  const desk = await startDesk();
  await desk.pushTickets(3);
  return {
    ...desk,
    /** @returns the slug of a new channel without a workflow */
    async addChannel(changes: Partial<ChannelSettings> = {}): Promise<string> {
      const slug = `scene-${randomBytes(4).toString('hex')}`;
      const settings = { companies: ['42'], entity_types: ['tickets'] as EntityType[] };
      await addTestChannel(desk.store, slug, 'http://127.0.0.1:9', { ...settings, ...changes });
      return slug;
    },
    /** @returns the id of an ERP of company 42 */
    async addIntegration(): Promise<string> {
      const company = { id: '42', name: 'Prairie Co-op' };
      return (await addIntegration(desk.store, { name: 'agris', company })).integration._id;
    },
    /** A channel with which account 42-1001 is shared. @returns its slug */
    async addSharedChannel(): Promise<string> {
      const channel = await this.addChannel({ scope: 'subscribed' });
      const key = { channel, partner_id: 'policy-1', farmer: 'f', account: '42-1001' };
      const granted = { state: 'granted', since: new Date(), version: 1, to_begin: [], phone_ending: '42' };
      const subscriptions = desk.store.db.collection<{ _id: string }>('subscriptions');
      await subscriptions.insertOne({ _id: subscriptionId(key), ...key, ...granted });
      return channel;
    },
    /** A channel whose customer has refused ticket 42-2. @returns its slug */
    async addRefusingChannel(): Promise<string> {
      const channel = await this.addChannel();
      await setAside(desk.store, {
        channel,
        entity_type: 'tickets',
        record: '42-2',
        position: 2,
        failure: 'refused',
        status: 422,
        answer: 'no such crop',
        delivery: 'd',
      });
      return channel;
    },
    /** What was recorded of changes with this reason. */
    async recorded(reason: string): Promise<OperatorAction[]> {
      return (await listActions(desk.store, undefined, 200)).filter((action) => action.reason === reason);
    },
    /** Equal while nothing in the database changes, but for what the API notes of earlier pushes some time later. */
    async fingerprint(): Promise<string> {
      const all = await ofEachCollection(desk.store, ['push_activity'], (from) => [{ $set: { from } }]);
      return JSON.stringify(all);
    },
  };
}
