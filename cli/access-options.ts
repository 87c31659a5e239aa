import * as ipaddr from 'ipaddr.js';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Access } from '../domain/access';
import { parseInstant } from '../domain/instants';
import { EXIT } from './exit-codes';
import { CliError } from './cli-error';

const DAY_MS = 24 * 3_600_000;
// Not null, which commander takes for an option without a value.
const NEVER = 'never';

export interface AccessOptions {
  expires?: Date | typeof NEVER;
  address?: string[];
  reason?: string;
  json?: true;
}

/** Options of the commands that bind tokens to a time and to addresses. */
export function accessOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--expires <when>', 'when access ends: 90d, a timestamp, or never').argParser(parseExpires),
    )
    .addOption(
      new Option(
        '--address <cidr>',
        'where requests may come from; repeatable; any: from anywhere',
      ).argParser(collectAddress),
    );
}

/** What the options change; undefined when they are not there. */
export function accessChanges({ expires, address }: AccessOptions): Access | undefined {
  if (expires === undefined && address === undefined) return undefined;
  const expires_at = expires === NEVER ? null : expires;
  return { ...(expires_at !== undefined && { expires_at }), ...(address && { addresses: address }) };
}

export const nothingToChange = (more = '') =>
  new CliError('nothing to change', `say --expires 90d or --address 203.0.113.0/24${more}`, EXIT.usage);

function parseExpires(text: string): Date | typeof NEVER {
  if (text === NEVER) return NEVER;
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  const at = days ? Date.now() + Number(days) * DAY_MS : parseInstant(text);
  if (at !== undefined && at > Date.now()) return new Date(at);
  throw new InvalidArgumentError('Use days like 90d, a time to come like 2027-01-01T00:00:00Z, or never.');
}

function collectAddress(text: string, before: string[] = []): string[] {
  if (text === 'any') return [];
  if (ipaddr.isValidCIDR(text)) return [...before, text];
  throw new InvalidArgumentError('Use a CIDR like 203.0.113.0/24, for one address 203.0.113.7/32, or any.');
}
