import { randomBytes } from 'node:crypto';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const name = `Ada ${randomBytes(4).toString('hex')}`;
    expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
    return [];
  },

  table: { says: /^NAME .*\nAda /m },
  json: {
    holds: {
      data: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/^Ada/) })]),
    },
  },
  error: { args: ['everybody'], exitCode: 2, says: /too many arguments/ },
};
