import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  // No worker runs for this desk: test/cli/doctor.slow.test.ts has one that is well.
  table: { says: /^fail {2}worker +nobody works on .*\n +-> start the worker/m, exitCode: 1 },
  json: { holds: { healthy: false, data: expect.any(Array) }, exitCode: 1 },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
