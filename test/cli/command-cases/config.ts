import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { says: /^NAME +VALUE +DEFAULT +MEANING\n/ },
  json: {
    holds: {
      data: expect.arrayContaining([expect.objectContaining({ name: 'LOG_LEVEL', default: 'info' })]),
    },
  },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
