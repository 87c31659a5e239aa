import type { CommandCase } from './command-case';

const ADDRESSES = ['203.0.113.0/24', '2001:db8::/32'];

export const integrationCases: Record<string, CommandCase> = {
  'integration add': {
    prepare: async () => ['--company-id', '42', '--company', 'Prairie Co-op'],
    table: { says: /^id +\S+\ntoken +gdx_erp_\w+\n$/ },
    json: { holds: { id: expect.any(String), token: expect.stringMatching(/^gdx_erp_/) } },
    error: { args: ['--company-id', '4-2', '--company', 'X'], exitCode: 2, says: /letters, digits, dots/ },
  },
  'integration check': {
    prepare: async (scene) => [await scene.addIntegration()],
    table: { says: /^id +\S+\ncompany_id +42\naccounts +\d/ },
    json: {
      holds: { company_id: '42', checked: { tickets: expect.any(Number) }, findings: expect.any(Array) },
    },
    error: { args: ['nobody'], exitCode: 1, says: /there is no integration nobody; / },
  },
  'integration close': {
    prepare: async (scene) => [await scene.addIntegration(), '--after', '7', '--reason', 'ended'],
    table: {
      says: /^id +\S+\nname +closed\nstate +(waits|kept)\ncompany_id +42\ncompany +Prairie Co-op\n/,
      recorded: { before: { records: expect.any(Number) } },
    },
    json: {
      holds: { records: expect.any(Number), channels: expect.any(Array), waits_for: expect.any(Array) },
    },
    error: { args: ['nobody', '--reason', 'x'], exitCode: 1, says: /there is no integration nobody; / },
  },
  'integration list': {
    prepare: async (scene) => {
      await scene.addIntegration();
      return [];
    },
    table: { says: /^ID .* PUSHED_AT +USUALLY_WITHIN +SILENT +DAY_RECORDS .*\n.* Prairie Co-op /m },
    json: {
      holds: {
        data: expect.arrayContaining([
          expect.objectContaining({ company_id: '42', silent: false, pushed_at: null }),
        ]),
      },
    },
    error: { args: ['everything'], exitCode: 2, says: /too many arguments/ },
  },
  'integration revoke': {
    prepare: async (scene) => [await scene.addIntegration(), '--all'],
    table: { says: /^revoked +all$/m },
    json: { holds: { revoked: 'all' } },
    error: { args: ['nobody', '--all'], exitCode: 1, says: /there is no integration nobody; / },
  },
  'integration rotate': {
    prepare: async (scene) => [await scene.addIntegration()],
    table: { says: /^token +gdx_erp_\w+$/m },
    json: { holds: { token: expect.stringMatching(/^gdx_erp_/), old_token_ends_at: expect.any(String) } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no integration nobody; / },
  },
  'integration set': {
    prepare: async (scene) => [
      await scene.addIntegration(),
      ...['--expires', '90d', '--pass-field', 'tickets.our_note', '--time-zone', 'America/Chicago'],
      ...ADDRESSES.flatMap((address) => ['--address', address]),
    ],
    table: {
      says: /^expires_at +20\S+Z\naddresses +203\.0\.113\.0\/24, 2001:db8::\/32\npass_fields +tickets\.our_note\ntime_zone +America\/Chicago$/m,
      recorded: { before: { expires_at: null, addresses: [], pass_fields: [], time_zone: null } },
    },
    json: {
      holds: {
        expires_at: expect.any(String),
        addresses: ADDRESSES,
        pass_fields: ['tickets.our_note'],
        time_zone: 'America/Chicago',
      },
    },
    error: { args: ['nobody', '--address', '10/8'], exitCode: 2, says: /203\.0\.113\.7\/32/ },
  },
};
