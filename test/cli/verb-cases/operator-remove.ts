import { randomBytes } from 'node:crypto';
import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  async prepare(scene) {
    const name = `Ada ${randomBytes(4).toString('hex')}`;
    expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
    return [name];
  },

  table: { says: /^removed +yes$/m },
  json: { holds: { removed: true } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no operator nobody; / },
};
