import { whyUnseen } from '../domain/pasted-text';
import { CliError } from './cli-error';
import { EXIT } from './exit-codes';

/**
 * An address that paths are added to, without slashes at its end. What is refused is not repeated: it may hold a secret.
 * @param name as the message begins: "the address of the service"
 * @throws CliError
 */
export function readHttpAddress(text: string, { name, advice }: { name: string; advice: string }): string {
  const refused = (problem: string) => new CliError(`${name} ${problem}`, advice, EXIT.usage);
  const unseen = whyUnseen(text);
  if (unseen) throw refused(unseen);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw refused('must be a URL of http or https');
  if (url.username || url.password) throw refused('must not carry a user');
  if (/[?#]/.test(text)) throw refused('must not have a query or a fragment');
  return url.origin + url.pathname.replace(/\/+$/, '');
}
