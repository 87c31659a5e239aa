import { type DoctorFinding, warn } from './doctor-finding';

// mongod 8.0 detects these by their numbers and ends at its start (SERVER-121912).
const FIRST = [6, 19, 0];
const MENDED = [7, 0, 14];

/**
 * Warns of a Linux on which mongod 8.0 does not start. A container has the kernel of its host.
 * @param release as `uname -r` says it: `6.19.4-200.fc43.x86_64`
 */
export function checkKernel(platform: string, release: string): DoctorFinding[] {
  const [, ...numbers] = /^(\d+)\.(\d+)(?:\.(\d+))?/.exec(release) ?? [];
  const version = numbers.map((number = '0') => Number(number));
  if (platform !== 'linux' || version.length === 0 || isBefore(version, FIRST) || !isBefore(version, MENDED))
    return [];
  return [
    warn(
      'kernel',
      `Linux ${release}: from 6.19 to 7.0.13 mongod 8.0 does not start`,
      'where MongoDB runs on this host, boot Linux 7.0.14 or later, or one before 6.19',
    ),
  ];
}

function isBefore(one: number[], other: number[]): boolean {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at !== -1 && one[at]! < other[at]!;
}
