import { newLinkKey } from '../../../store/secrets/link-keys';
import type { CommandCase } from './command-case';

export const channelCases: Record<string, CommandCase> = {
  'channel add': {
    async prepare(scene) {
      const slug = await scene.addChannel(); // to be forgotten by the scene with its workflow
      await scene.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: slug });
      return [slug, '--name', 'Acme', '--base-url', 'https://acme.example', '--company', '42'];
    },
    table: { says: /^slug +scene-\w+\napi_key +gdx_channel_\w+\nsigning_secret +whsec_\S+$/m },
    json: {
      holds: { slug: expect.any(String), api_key: expect.any(String), signing_secret: expect.any(String) },
    },
    error: {
      args: ['acme', '--name', 'Acme', '--base-url', 'https://acme.example'],
      exitCode: 2,
      says: /--company <id>, once or more, or --all-companies/,
    },
  },
  'channel link': {
    prepare: async (scene) => {
      const slug = await scene.addChannel({
        scope: 'subscribed',
        callback_origins: ['https://acme.example'],
      });
      await newLinkKey(scene.store, slug, 0);
      return [slug, '--partner-id', 'policy-1', '--phone', '7015550142'];
    },
    table: {
      says: /^link +http\S+\/subscriptions\?callback_url=\S+&signature=[\da-f]{64}\nexpires_at +\S+$/m,
    },
    json: { holds: { link: expect.stringContaining('partner_id=policy-1'), expires_at: expect.any(String) } },
    error: {
      args: ['nobody', '--partner-id', 'p', '--phone', '7015550142'],
      exitCode: 1,
      says: /there is no channel nobody; /,
    },
  },
  'channel link-key': {
    prepare: async (scene) => [await scene.addChannel()],
    table: {
      says: /^slug +scene-\w+\nlink_key +gdx_link_[\w-]{43}\nold_link_key_ends_at +-$/m,
      recorded: { before: { link_keys: 0 } },
    },
    json: { holds: { link_key: expect.stringMatching(/^gdx_link_/), old_link_key_ends_at: null } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'channel list': {
    async prepare(scene) {
      await scene.addChannel();
      return [];
    },
    table: { says: /^SLUG .*\nscene-/ },
    json: {
      holds: { data: expect.arrayContaining([expect.objectContaining({ name: 'Acme Crop Insurance' })]) },
    },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  'channel revoke-key': {
    prepare: async (scene) => [await scene.addChannel(), '--all'],
    table: { says: /^revoked +all$/m },
    json: { holds: { revoked: 'all' } },
    error: { args: ['nobody', '--all'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'channel rotate-key': {
    prepare: async (scene) => [await scene.addChannel()],
    table: {
      says: /^api_key +gdx_channel_\w+$/m,
      recorded: { before: { api_keys: 1, old_api_key_ends_at: null } },
    },
    json: {
      holds: { api_key: expect.stringMatching(/^gdx_channel_/), old_api_key_ends_at: expect.any(String) },
    },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'channel set-key': {
    prepare: async (scene) => [await scene.addChannel(), '--expires', 'never', '--address', 'any'],
    table: {
      says: /^expires_at +-\naddresses +-?$/m,
      recorded: { before: { expires_at: null, addresses: [] } },
    },
    json: { holds: { expires_at: null, addresses: [] } },
    error: { args: ['nobody', '--expires', '2020-01-01T00:00:00Z'], exitCode: 2, says: /a time to come/ },
  },
  'channel set': {
    prepare: async (scene) => [await scene.addChannel(), '--cadence', '30m'],
    table: { says: /^cadence +30m$/m, recorded: { about: 'cadence_ms', before: { cadence_ms: 3_600_000 } } },
    json: { holds: { cadence: '30m' } },
    error: { args: ['nobody'], exitCode: 2, says: /nothing to change; / },
  },
  'channel show': {
    prepare: async (scene) => [await scene.addChannel()],
    table: { says: /^state +active$/m },
    json: { holds: { state: 'active', name: 'Acme Crop Insurance' } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
  'channel test': {
    prepare: async (scene) => [await scene.addChannel()],
    table: { says: /^class +unavailable$/m, exitCode: 1 }, // nobody listens at port 9
    json: { holds: { status: null, class: 'unavailable' }, exitCode: 1 },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
};
