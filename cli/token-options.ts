import { InvalidArgumentError, Option, type Command } from 'commander';
import { confirm } from './confirm';
import { EXIT } from './exit-codes';
import { CliError } from './cli-error';

const UNITS = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };
const KEEP_MS = { default: 24 * 3_600_000, max: 30 * 24 * 3_600_000 };

export interface RotateOptions {
  /** Milliseconds. */
  keepOld: number;
  revokeOld?: true;
  reason?: string;
  yes?: true;
  json?: true;
}

export interface RevokeOptions {
  old?: true;
  all?: true;
  reason?: string;
  yes?: true;
  json?: true;
}

/** Options of the commands that rotate tokens. The previous token stays valid for a while. */
export function rotateOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--keep-old <time>', 'how long the previous one stays valid, 1m to 30d')
        .argParser(parseKeepOld)
        .default(KEEP_MS.default, '24h'),
    )
    .option('--revoke-old', 'revoke the previous one at once')
    .option('--yes', 'do not ask');
}

/** Asks before previous tokens are revoked at once. */
export async function confirmRotate(
  { revokeOld, yes, json }: RotateOptions,
  token: 'token' | 'API key',
  holder: string,
): Promise<void> {
  if (revokeOld && !yes && !json)
    await confirm(`Every ${token} that ${holder} has stops working now. Continue?`);
}

export const keepMs = ({ keepOld, revokeOld }: RotateOptions) => (revokeOld ? 0 : keepOld);

/** Options of the commands that revoke tokens. */
export function revokeOptions(command: Command): Command {
  return command
    .option('--old', 'revoke the previous one, still valid since the last rotation')
    .option('--all', 'revoke every one; access ends until the next rotation')
    .option('--yes', 'do not ask');
}

/** @throws CliError unless exactly one of `--old` and `--all` is given */
export function whichToRevoke({ old, all }: RevokeOptions): 'old' | 'all' {
  if (Boolean(old) !== Boolean(all)) return old ? 'old' : 'all';
  throw new CliError('nothing was revoked', 'say --old or --all', EXIT.usage);
}

/** Asks before tokens are revoked. */
export async function confirmRevoke(
  { old, yes, json }: RevokeOptions,
  token: 'token' | 'API key',
  holder: string,
): Promise<void> {
  const effect = old
    ? `The ${token} that ${holder} had before the last rotation stops working now.`
    : `From now on ${holder} is refused everything.`;
  if (!yes && !json) await confirm(`${effect} Continue?`);
}

function parseKeepOld(text: string): number {
  const parts = /^(\d{1,5})([mhd])$/.exec(text);
  const keep = parts ? Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS] : 0;
  if (keep >= UNITS.m && keep <= KEEP_MS.max) return keep;
  throw new InvalidArgumentError('Use 1m to 30d, like 90m, 24h or 7d.');
}
