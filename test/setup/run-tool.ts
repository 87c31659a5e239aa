import { type SpawnOptions, spawnSync } from 'node:child_process';

/**
 * What a program of others prints.
 * @throws Error that says what to install where the program is missing, and what it said where it fails
 */
export function runTool(
  [program, ...args]: [program: string, ...args: string[]],
  { install, ...options }: { install: string } & Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (error) throw new Error(`${program} is not installed: ${install}`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
