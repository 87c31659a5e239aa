import { pollAs } from '../poll-as';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    await pollAs('2.0', scene.env);
    return ['2.0'];
  },

  table: { says: /^build_id +2\.0\ncurrent +yes$/m },
  json: { holds: { build_id: '2.0', current: true } },
  error: { args: ['9.9'], exitCode: 1, says: /Temporal does not switch to 9\.9: .*; start a worker with it/ },
};
