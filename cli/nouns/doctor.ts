import type { Command } from 'commander';
import { CliError } from '../../client/cli-error';
import type { DoctorFinding } from '../doctor/doctor-finding';
import { examine } from '../doctor/examine';
import type { Envelope } from '../envelope';
import { formatCell } from '../../client/print';

export function doctorCommands(doctor: Command, { reads }: Envelope): void {
  reads(doctor, async (call) => {
    const findings = await examine(call);
    const failed = findings.filter(({ status }) => status === 'fail').length;
    const checks = `${failed} of ${findings.length} checks failed`;
    const error = new CliError(checks, 'do what the lines above say, the first ones first');
    return {
      json: { healthy: failed === 0, data: findings },
      text: findings.map(lines).join(''),
      error: failed === 0 ? undefined : error,
    };
  });
}

const PART_WIDTH = 18;

function lines({ status, part, finding, fix }: DoctorFinding): string {
  const line = `${status.padEnd(4)}  ${formatCell(part).padEnd(PART_WIDTH)}  ${formatCell(finding)}\n`;
  return fix ? `${line}${' '.repeat(6 + PART_WIDTH)}  -> ${formatCell(fix)}\n` : line;
}
