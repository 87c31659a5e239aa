/**
 * The error that a form has left for the page that its 303 leads to (docs/contract.md F5).
 * @param headers of the answer, as text or as `set-cookie` alone
 * @returns its kind, and the milliseconds to wait
 */
export function leftError(headers: unknown): { kind: string; waitMs: number } | undefined {
  const [, left] = /gdx-said=([\w-]+)/.exec(String(headers)) ?? [];
  if (!left) return undefined;
  const [, word, kind, waitMs] = JSON.parse(Buffer.from(left, 'base64url').toString()) as string[];
  return word === 'error' ? { kind: kind!, waitMs: Number(waitMs) } : undefined;
}
