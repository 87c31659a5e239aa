import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const channel = await scene.addChannel();
    const set = ['channel', 'set', channel, '--page-size', '500', '--reason', 'Their wish'];
    expect((await scene.gdx(set)).exitCode).toBe(0);
    return ['--channel', channel];
  },
  table: {
    says: /^AT .*\n\S+ +\S+ +gdx +channel set +scene-\w+ +page_size +page_size: 1,000 +Their wish +Done\.$/m,
  },
  json: {
    holds: {
      data: [{ action: 'channel set', before: { page_size: 1000 }, reason: 'Their wish', via: 'gdx' }],
    },
  },
  error: { args: ['--limit', '0'], exitCode: 2, says: /Use 1 to 200/ },
};
