import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  async prepare(scene) {
    const slug = await scene.addChannel({ scope: 'subscribed' });
    const shared = {
      channel: slug,
      partner_id: 'policy-1',
      farmer: 'f',
      account: '42-1001',
      phone_ending: '42',
    };
    await scene.store.db
      .collection('subscriptions')
      .insertOne({ ...shared, state: 'granted', since: new Date(), version: 1 });
    return [slug];
  },

  table: { says: /^ACCOUNT .*\n42-1001 +policy-1 /m },
  json: { holds: { data: [{ account: '42-1001', partner_id: 'policy-1', phone_ending: '42' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
