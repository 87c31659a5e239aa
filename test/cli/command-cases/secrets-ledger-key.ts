import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { args: ['--new'], says: /^ID +ED25519 +SIGNS\n\S{8} +\S{44} +yes\n\S{8} +\S{44} +no$/m },
  json: { args: [], holds: { data: expect.arrayContaining([expect.objectContaining({ signs: true })]) } },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
