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
    expect(added.exitCode).toBe(0);
    return [];
  },

  table: { says: /^ID .*\n.* Prairie Co-op /m },
  json: { holds: { data: expect.arrayContaining([expect.objectContaining({ company_id: '42' })]) } },
  error: { args: ['everything'], exitCode: 2, says: /too many arguments/ },
};
