import { countAttempt, phoneCounts } from '../../../store/codes/attempt-counts';
import { farmerIdOf } from '../../setup/farmer-id-of';
import type { CommandCase } from './command-case';

const LOCKED = '7015550142';
const ERASED = '7015553111';

export const farmerCases: Record<string, CommandCase> = {
  'consents verify': {
    // What is shared there was never written into its ledger.
    prepare: async (scene) => [await scene.addSharedChannel()],
    table: {
      says: /^CHANNEL +HOLDS .*\nscene-\w+ +no .* 1\nCHANNEL +PARTNER_ID +ACCOUNT\nscene-\w+ +policy-1 +42-1001$/m,
      exitCode: 1,
    },
    json: {
      holds: {
        data: [{ ok: false, links: 0, without_grant: [{ partner_id: 'policy-1', account: '42-1001' }] }],
      },
      exitCode: 1,
    },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'farmer erase': {
    async prepare(scene) {
      await farmerIdOf(scene.store, ERASED);
      return [ERASED, '--reason', 'a letter'];
    },
    table: { says: /^links +1$/m },
    json: { holds: { links: 1, left: { ledger_entries: 0, accounts: [] } } },
    error: { args: ['555-0142', '--reason', 'a letter'], exitCode: 2, says: /Use ten digits/ },
  },
  'farmer unlock': {
    async prepare({ store }) {
      const limit = { limit: 0, windowMs: 60_000 };
      for (const what of Object.values(phoneCounts(LOCKED))) await countAttempt(store, what, limit);
      return ['(701) 555-0142', '--reason', 'Ruth Meyer called from that number'];
    },
    table: { says: /^phone_ending +42\nunlocked +yes$/m, recorded: { about: '' } },
    json: { holds: { phone_ending: '42', unlocked: true } },
    error: { args: ['701'], exitCode: 2, says: /Use ten digits/ },
  },
  'codes pause': {
    prepare: async (scene) => [await scene.addSharedChannel(), '--reason', 'guesses'],
    table: {
      says: /^codes +scene-\w+\npaused +yes$/m,
      recorded: { action: 'codes pause', about: expect.stringMatching(/^scene-/) },
    },
    json: { holds: { paused: true } },
    error: { args: ['--reason', 'x'], exitCode: 2, says: /Give either a channel or --sharing/ },
  },
  'codes paused': {
    async prepare({ store }) {
      const pause = { by: 'maria', reason: 'guesses', at: new Date() }; // stored in this order
      const paused = store.db.collection<{ _id: string }>('paused_codes');
      await paused.replaceOne({ _id: 'service/sharing' }, pause, { upsert: true });
      return [];
    },
    table: { says: /^service\/sharing +\S+Z +maria +guesses$/m },
    json: {
      holds: { data: expect.arrayContaining([expect.objectContaining({ codes: 'service/sharing' })]) },
    },
    error: { args: ['x'], exitCode: 2, says: /too many arguments/ },
  },
  'codes resume': {
    prepare: async () => ['--sharing'],
    table: {
      says: /^codes +service\/sharing\npaused +no$/m,
      recorded: { action: 'codes resume', about: 'service/sharing' },
    },
    json: { holds: { codes: 'service/sharing', paused: false } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'subscriptions revoke': {
    prepare: async (scene) => {
      const slug = await scene.addSharedChannel();
      return [slug, '--account', '42-1001', '--reason', 'called us', '--yes'];
    },
    table: {
      says: /^still_shared +no\nreason +for subscriptions revoke$/m,
      recorded: { about: '42-1001', before: { grants: 1 } },
    },
    json: { holds: { account: '42-1001', ended: 1, still_shared: false } },
    error: {
      args: ['nobody', '--account', '42-1001', '--reason', 'x'],
      exitCode: 1,
      says: /there is no channel nobody; /,
    },
  },
  subscriptions: {
    prepare: async (scene) => [await scene.addSharedChannel()],
    table: { says: /^ACCOUNT .*\n42-1001 +policy-1 /m },
    json: { holds: { data: [{ account: '42-1001', partner_id: 'policy-1', phone_ending: '42' }] } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
};
