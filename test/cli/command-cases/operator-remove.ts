import { randomBytes } from 'node:crypto';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const name = `Ada ${randomBytes(4).toString('hex')}`;
    expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
    return [name];
  },

  table: { says: /^removed +yes$/m, recorded: { before: { created_at: expect.any(Date) } } },
  json: { holds: { removed: true } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no operator nobody; / },
};
