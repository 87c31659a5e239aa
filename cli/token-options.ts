import { hasCome } from '../domain/time/elapsed';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Access } from '../domain/settings/access';
import { isCidr } from '../domain/settings/denied-address';
import { parseInstant } from '../domain/time/instants';
import { TwoTokensLive } from '../store/callers/token-holders';
import type { Integration } from '../store/callers/integrations';
import type { Channel } from '../store/channels/channels';
import { CliError, UsageError } from '../client/cli-error';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/spans';

const UNITS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const KEEP_MS = { default: DAY_MS, max: 30 * DAY_MS };

export interface RotateOptions {
  /** Milliseconds. */
  keepOld: number;
  revokeOld?: true;
}

export interface RevokeOptions {
  old?: true;
  all?: true;
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

/** The question of `--revoke-old`. */
export const rotateEffect = (token: 'token' | 'API key', holder: string) =>
  `Every ${token} that ${holder} has stops working now. Continue?`;

export const keepMs = ({ keepOld, revokeOld }: RotateOptions) => (revokeOld ? 0 : keepOld);

/**
 * Makes a handler for `.catch` of a rotation while two tokens are valid: a third would end the first unasked.
 * @param command the command that ends the first one
 */
export const unlessTwoLive =
  (command: string) =>
  (error: unknown): never => {
    if (!(error instanceof TwoTokensLive)) throw error;
    throw new CliError(error.message, `end it now by \`${command}\``);
  };

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
  throw new UsageError('nothing was revoked', 'say --old or --all');
}

/** The question before tokens are revoked. */
export const revokeEffect = (which: 'old' | 'all', token: 'token' | 'API key', holder: string) =>
  which === 'old'
    ? `The ${token} that ${holder} had before the last rotation stops working now. Continue?`
    : `From now on ${holder} is refused everything. Continue?`;

function parseKeepOld(text: string): number {
  const parts = /^(\d{1,5})([mhd])$/.exec(text);
  const keep = parts ? Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS] : 0;
  if (keep >= UNITS.m && keep <= KEEP_MS.max) return keep;
  throw new InvalidArgumentError('Use 1m to 30d, like 90m, 24h or 7d.');
}

// Not null, which commander takes for an option without a value.
const NEVER = 'never';

export interface AccessOptions {
  expires?: Date | typeof NEVER;
  address?: string[];
}

/** Options of the commands that bind tokens to a time and to addresses. */
export function accessOptions(command: Command): Command {
  return command
    .option('--expires <when>', 'when access ends: 90d, a timestamp, or never', parseExpires)
    .option(
      '--address <cidr>',
      'where requests may come from; repeatable; any: from anywhere',
      collectAddress,
    );
}

/** The changes by the options; undefined when there are none. */
export function accessChanges({ expires, address }: AccessOptions): Access | undefined {
  if (expires === undefined && address === undefined) return undefined;
  const expires_at = expires === NEVER ? null : expires;
  return { ...(expires_at !== undefined && { expires_at }), ...(address && { addresses: address }) };
}

export const nothingToChange = (more = '') =>
  new UsageError('nothing to change', `say --expires 90d or --address 203.0.113.0/24${more}`);

function parseExpires(text: string): Date | typeof NEVER {
  if (text === NEVER) return NEVER;
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  const at = days ? Date.now() + Number(days) * DAY_MS : parseInstant(text);
  if (at !== undefined && !hasCome(new Date(at))) return new Date(at);
  throw new InvalidArgumentError('Use days like 90d, a time to come like 2027-01-01T00:00:00Z, or never.');
}

function collectAddress(text: string, before: string[] = []): string[] {
  if (text === 'any') return [];
  if (isCidr(text)) return [...before, text];
  throw new InvalidArgumentError('Use a CIDR like 203.0.113.0/24, for one address 203.0.113.7/32, or any.');
}

/** The end and the addresses of tokens, as they are printed and recorded. */
export const accessFacts = ({ expires_at = null, addresses = [] }: Access = {}) => ({
  expires_at,
  addresses,
});

/** The same for a customer's keys. */
export function keyFacts({ key_access }: Channel) {
  const { expires_at, addresses } = accessFacts(key_access);
  return { key_expires_at: expires_at, key_addresses: addresses };
}

// The earlier tokens or keys, as a change of them is recorded.

export const tokensBefore = ({ token_hashes, old_token_ends_at = null }: Integration) => ({
  tokens: token_hashes.length,
  old_token_ends_at,
});

export const keysBefore = ({ api_key_hashes, old_api_key_ends_at = null }: Channel) => ({
  api_keys: api_key_hashes.length,
  old_api_key_ends_at,
});
