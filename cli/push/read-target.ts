import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CliError } from '../cli-error';
import type { PushSettings } from '../connections';
import { EXIT } from '../exit-codes';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const TOKEN = /^gdx_erp_(live|test)_\w{20,}$/;

export interface PushTarget {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** Both, without the token itself. */
  target: string;
}

/** Where to push, and with which token. Never from the command line, which others on the machine can see. */
export async function readTarget(
  settings: PushSettings,
  given: { url?: string; tokenFile?: string },
): Promise<PushTarget> {
  const token = given.tokenFile === undefined ? settings.token : await readToken(given.tokenFile);
  if (!TOKEN.test(token))
    throw new CliError(
      token ? 'the token is none of an ERP (gdx_erp_...)' : 'there is no token',
      'put it into GDX_TOKEN, or into a file and name that by --token-file',
      EXIT.usage,
    );
  const url = readUrl(given.url ?? settings.url, token);
  const hash = createHash('sha256').update(token).digest('hex').slice(0, 16);
  return { url, token, target: `${url} ${hash}` };
}

function readUrl(text: string, token: string): string {
  const wrong = (what: string, advice: string) => new CliError(what, advice, EXIT.usage);
  if (!text) throw wrong('there is no address of the service', 'say --url https://grain.example');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username)
    throw wrong(`${text} is no address of a service`, 'say --url https://grain.example');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && token.startsWith('gdx_erp_live_'))
    throw wrong(`${text} would carry the token unencrypted`, 'say https://');
  return url.href.replace(/\/(api\/v1\/push\/?)?$/, '');
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(`the token file ${file} cannot be read (${code})`, 'check --token-file', EXIT.usage);
  }
}
