import { execFile, type SpawnOptions, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

type Command = [program: string, ...args: string[]];
type Options = { install: string } & Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>;

/**
 * What a program of others prints.
 * @throws Error that says what to install where the program is missing, and what it said where it fails
 */
export function runTool([program, ...args]: Command, { install, ...options }: Options): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (error) throw new Error(`${program} is not installed: ${install}`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The same, while this process serves others: a customer in it answers. */
export async function awaitTool(
  [program, ...args]: Command,
  { install, ...options }: Options,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { ...options, maxBuffer: Infinity });
    return stdout;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (code === 'ENOENT') throw new Error(`${program} is not installed: ${install}`, { cause: error });
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}
