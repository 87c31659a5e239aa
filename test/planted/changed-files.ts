import { execFileSync } from 'node:child_process';
import { checkout } from '../../tools/local/checkout';

const ADVICE = 'name the faults instead, or a base that `git rev-parse` knows: --changed REV';

/** Git is not there, or does not know what the files are compared with. */
export class NothingToCompare extends Error {
  override name = 'NothingToCompare';
}

/**
 * The files that differ from a base, committed or not, and those that git has not been told of: paths in the checkout.
 * @param base a revision; without it, where the branch left main
 * @throws NothingToCompare
 */
export function changedFiles(base?: string, { dir = checkout, env = process.env } = {}): Set<string> {
  const git = (...args: string[]) => runGit(args, dir, env);
  const from = base ? revision(base, git) : whereItLeftMain(git);
  const changed = git('diff', '--name-only', '--no-renames', '--relative', '-z', from);
  const added = git('ls-files', '--others', '--exclude-standard', '-z');
  return new Set(`${changed}${added}`.split('\0').filter((file) => file !== ''));
}

type Git = (...args: string[]) => string;

function revision(base: string, git: Git): string {
  git('rev-parse', '--git-dir');
  try {
    return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`).trim();
  } catch {
    throw new NothingToCompare(`there is no revision ${base}; ${ADVICE}`);
  }
}

function whereItLeftMain(git: Git): string {
  const known = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main', 'refs/heads/main');
  const main = known.split('\n').sort().reverse()[0];
  if (!main) throw new NothingToCompare(`there is no branch main; ${ADVICE}`);
  return git('merge-base', 'HEAD', main).trim();
}

function runGit(args: string[], cwd: string, env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    const why =
      code === 'ENOENT' ? 'there is no git' : stderr?.trim().split('\n')[0] || `git ${args.join(' ')} failed`;
    throw new NothingToCompare(`${why}; ${ADVICE}`);
  }
}
