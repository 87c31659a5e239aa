import { pollAs } from '../poll-as';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    await pollAs('2.0', scene.env);
    return [];
  },

  table: { says: /^BUILD_ID +STATE +FIRST_SEEN *\n2\.0 +(inactive|current) +20/m },
  json: {
    holds: {
      data: [
        {
          build_id: '2.0',
          state: expect.stringMatching(/^(inactive|current)$/),
          first_seen: expect.any(String),
        },
      ],
    },
  },
  error: { args: ['everybody'], exitCode: 2, says: /too many arguments/ },
};
