import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { legible, whyUnseen } from '../../domain/text/pasted-text';
import { withoutEndSlashes } from '../../domain/text/without-end-slashes';
import { EXIT, fileRefused, UsageError } from '../cli-error';
import type { ServiceSettings } from './open-service-settings';
import { textOf } from '../text-file/plain-text';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const KINDS = {
  erp: { token: /^gdx_erp_(live|test)_\w{20,}$/, none: 'this is not an ERP token (gdx_erp_...)' },
  channel: {
    token: /^gdx_channel_(live|test)_\w{20,}$/,
    none: 'the token is not the key of a channel (gdx_channel_...)',
  },
};

interface ServiceTarget {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** The address and a hash of the token. */
  target: string;
}

/**
 * Reads the service's address and the token. The token never comes from the command line, which others on the
 * machine can see.
 */
export async function readTarget(
  settings: ServiceSettings,
  kind: keyof typeof KINDS,
  given: { url?: string; tokenFile?: string },
): Promise<ServiceTarget> {
  const token = given.tokenFile === undefined ? settings.token : await readToken(given.tokenFile);
  if (!KINDS[kind].token.test(token))
    throw new UsageError(
      token ? KINDS[kind].none : 'there is no token',
      'put it into GDX_TOKEN, or into a file and name that by --token-file',
    );
  const url = readUrl(given.url ?? settings.url, token);
  const hash = createHash('sha256').update(token).digest('hex').slice(0, 16);
  return { url, token, target: `${url} ${hash}` };
}

function readUrl(text: string, token: string): string {
  const advice = 'say --url https://grain.example: the operator gave you the address with the token';
  if (!text) throw new UsageError('there is no address of the service', advice);
  const address = readHttpAddress(text, { name: 'the address of the service', advice });
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && !LOOPBACK.test(hostname) && /^gdx_[a-z]+_live_/.test(token))
    throw new UsageError(`${address} would carry the token unencrypted`, 'say https://');
  return address.replace(/\/api\/v1\/push$/, '');
}

async function readToken(file: string): Promise<string> {
  const refused = fileRefused(`the token file ${file} cannot be read`, 'check --token-file', EXIT.usage);
  return legible(await readFile(file).then(textOf).catch(refused));
}

/**
 * Reads an address that paths are added to, and removes slashes at its end. Errors do not repeat it, as it
 * may hold a secret.
 * @param name the beginning of the message: "the address of the service"
 * @throws CliError
 */
export function readHttpAddress(text: string, { name, advice }: { name: string; advice: string }): string {
  const refused = (problem: string) => new UsageError(`${name} ${problem}`, advice);
  const unseen = whyUnseen(text);
  if (unseen) throw refused(unseen);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw refused('must be a URL of http or https');
  if (url.username || url.password) throw refused('must not carry a user');
  if (/[?#]/.test(text)) throw refused('must not have a query or a fragment');
  return url.origin + withoutEndSlashes(url.pathname);
}
