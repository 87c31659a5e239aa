import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    await scene.addChannel();
    return [];
  },
  table: { says: /^SLUG .*\nscene-/ },
  json: {
    holds: { data: expect.arrayContaining([expect.objectContaining({ name: 'Acme Crop Insurance' })]) },
  },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
