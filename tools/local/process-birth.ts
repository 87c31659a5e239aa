import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process as a file remembers it. Numbers are used again after a while; number and birth together are not. */
export interface ProcessIdentity {
  pid: number;
  born?: string | undefined;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, born: birthOf(pid) };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const birth = birthOf(identity.pid);
  return birth !== undefined && (identity.born === undefined || identity.born === birth);
}

/** When the process began, in the system's own notation; undefined when it is gone or only a zombie. */
function birthOf(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    if (!existsSync('/proc/self/stat')) return birthByPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // proc(5): state is field 3, starttime 22
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function birthByPs(pid: number): string | undefined {
  const [state = 'Z', ...birth] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .trim()
    .split(/\s+/);
  return state.startsWith('Z') ? undefined : birth.join(' ');
}
