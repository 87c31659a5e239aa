import { timeIn } from '../../domain/time/elapsed';
import { formatInstant } from '../../domain/time/instants';
import { DAY_MS } from '../../domain/time/spans';
import { notFound } from './http-error';
import type { OpenContext } from './route';

const VALID_MS = 180 * DAY_MS; // RFC 9116 asks for less than a year

interface Told {
  publicUrl: string;
  securityContact: string;
}

/** `GET /.well-known/security.txt`: whom to tell of a hole (RFC 9116; docs/contract.md S8). */
export function showSecurityTxt(ctx: OpenContext, { farmer }: { farmer: Told }): void {
  const { publicUrl, securityContact } = farmer;
  if (!securityContact) throw notFound();
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = [
    `Contact: ${securityContact}`,
    `Expires: ${formatInstant(timeIn(VALID_MS))}`,
    'Preferred-Languages: en',
    `Canonical: ${new URL('/.well-known/security.txt', publicUrl).href}`,
    '',
  ].join('\n');
}
