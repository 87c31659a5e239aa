import type { ParameterizedContext } from 'koa';
import { goTo } from './answer-page';
import { readCookie, setCookie } from './page-cookie';

const NAME = 'gdx-said';
const FORM = /^[\w-]{1,1000}$/;
const SECONDS = 60;

type Secure = Parameters<typeof readCookie>[1];

/**
 * Answers a form by 303 to a page that says these words, so that the browser's Back never has to post a form again. They
 * are in a cookie, since anybody can send a link. They hold for the next request of that page alone.
 */
export function say(ctx: ParameterizedContext, settings: Secure, path: string, ...words: string[]): void {
  const value = Buffer.from(JSON.stringify([path, ...words])).toString('base64url');
  setCookie(ctx, settings, { name: NAME, value, sameSite: 'Lax', seconds: SECONDS });
  goTo(ctx, path);
}

/** The words that this browser's last form has left for this page; whoever uses them checks what they are. */
export function takeSaid(ctx: ParameterizedContext, settings: Secure): string[] {
  const value = readCookie(ctx, settings, NAME, FORM);
  const said = value === undefined ? [] : read(value);
  if (said[0] !== ctx.path) return [];
  setCookie(ctx, settings, { name: NAME, value: '', sameSite: 'Lax' });
  return said.slice(1);
}

function read(value: string): string[] {
  try {
    return (JSON.parse(Buffer.from(value, 'base64url').toString()) as unknown[]).map(String);
  } catch {
    return []; // no cookie of ours
  }
}
