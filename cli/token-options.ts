import { InvalidArgumentError, Option, type Command } from 'commander';
import { confirm } from './confirm';
import { EXIT } from './exit-codes';
import { Failure } from './failure';

const UNITS = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };
const KEEP_MS = { default: 24 * 3_600_000, max: 30 * 24 * 3_600_000 };

export interface RotateOptions {
  /** Milliseconds. */
  keepOld: number;
  revokeOld?: true;
  yes?: true;
  json?: true;
}

export interface RevokeOptions {
  old?: true;
  all?: true;
  yes?: true;
  json?: true;
}

/** Options of the verbs that give a new token: the one before lives on for a while, so that nothing is refused. */
export function rotateOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--keep-old <time>', 'how long the one before lives on, 1m to 30d')
        .argParser(parseKeepOld)
        .default(KEEP_MS.default, '24h'),
    )
    .option('--revoke-old', 'it does not live on: it opens nothing from now on')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either');
}

/** Asks before the tokens of before end at once. */
export async function confirmRotate(
  { revokeOld, yes, json }: RotateOptions,
  token: 'token' | 'API key',
  holder: string,
): Promise<void> {
  if (revokeOld && !yes && !json)
    await confirm(`Every ${token} that ${holder} has now opens nothing from now on. Go on?`);
}

export const keepMs = ({ keepOld, revokeOld }: RotateOptions) => (revokeOld ? 0 : keepOld);

/** Options of the verbs that end tokens. */
export function revokeOptions(command: Command): Command {
  return command
    .option('--old', 'end the one that lives on since the last rotation')
    .option('--all', 'end every one: nothing opens until the next rotation')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either');
}

/** @throws Failure unless exactly one of `--old` and `--all` is given */
export function whichToRevoke({ old, all }: RevokeOptions): 'old' | 'all' {
  if (Boolean(old) !== Boolean(all)) return old ? 'old' : 'all';
  throw new Failure('nothing was revoked', 'say --old or --all', EXIT.usage);
}

/** Asks before they end. */
export async function confirmRevoke(
  { old, yes, json }: RevokeOptions,
  token: 'token' | 'API key',
  holder: string,
): Promise<void> {
  const effect = old
    ? `The ${token} that ${holder} had before the last rotation opens nothing from now on.`
    : `From now on ${holder} is refused everything.`;
  if (!yes && !json) await confirm(`${effect} Go on?`);
}

function parseKeepOld(text: string): number {
  const parts = /^(\d{1,5})([mhd])$/.exec(text);
  const keep = parts ? Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS] : 0;
  if (keep >= UNITS.m && keep <= KEEP_MS.max) return keep;
  throw new InvalidArgumentError('Use 1m to 30d, like 90m, 24h or 7d.');
}
