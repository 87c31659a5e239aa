import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  async prepare(scene) {
    const added = await scene.gdx([
      'integration',
      'add',
      '--company-id',
      '42',
      '--company',
      'Prairie Co-op',
      '--json',
    ]);
    return [added.json().id, '--all'];
  },

  table: { says: /^revoked +all$/m },
  json: { holds: { revoked: 'all' } },
  error: { args: ['nobody', '--all'], exitCode: 1, says: /there is no integration nobody; / },
};
