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
    return [slug, '--account', '42-1001', '--reason', 'called us', '--yes'];
  },

  table: { says: /^still_shared +no\nreason +called us$/m },
  json: { holds: { account: '42-1001', ended: 1, still_shared: false } },
  error: {
    args: ['nobody', '--account', '42-1001', '--reason', 'x'],
    exitCode: 1,
    says: /there is no channel nobody; /,
  },
};
