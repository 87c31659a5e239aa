import type { Command } from 'commander';
import type { Connections } from '../connections';
import type { DoctorFinding } from '../doctor/doctor-finding';
import { CliError } from '../cli-error';
import { formatCell, printJson } from '../print';

export function doctorCommand(program: Command, connections: Connections): void {
  program
    .command('doctor')
    .description('check every part, including customers, and suggest fixes; sends nothing')
    .action(async ({ json }: { json?: true }) => {
      const { examine } = await import('../doctor/examine.js');
      const findings = await examine(connections);
      const failed = findings.filter(({ status }) => status === 'fail').length;
      if (json) printJson({ healthy: failed === 0, data: findings });
      else process.stdout.write(findings.map(lines).join(''));
      if (failed === 0) return;
      const checks = `${failed} of ${findings.length} checks failed`;
      throw new CliError(checks, 'do what the lines above say, the first ones first');
    });
}

const PART_WIDTH = 18;

function lines({ status, part, finding, fix }: DoctorFinding): string {
  const line = `${status.padEnd(4)}  ${formatCell(part).padEnd(PART_WIDTH)}  ${formatCell(finding)}\n`;
  return fix ? `${line}${' '.repeat(6 + PART_WIDTH)}  -> ${formatCell(fix)}\n` : line;
}
