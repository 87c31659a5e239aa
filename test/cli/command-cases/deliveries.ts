import type { DeliveryDocument } from '../../../store/feed/deliveries';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const slug = await scene.addChannel();
    const id = await scene.addDelivery(slug);
    const deliveries = scene.store.db.collection<DeliveryDocument>('deliveries');
    const { _id: _, ...one } = (await deliveries.findOne({ _id: id }))!;
    await deliveries.insertOne({ ...one, _id: `delivery/${slug}/accounts/1`, entity_type: 'accounts' });
    return [slug, '--entity', 'tickets'];
  },
  table: { says: /^STARTED_AT .*\n.* tickets +running .*tickets\/1\n$/ },
  json: { holds: { data: [{ entity_type: 'tickets', status: 'running', trigger: 'schedule' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
