import { csrfOf, type Visitor } from './visitor';

/** A code that is not this one. */
export const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Posts a form of the visitor's page, whatever page it has come to since. @returns the answer */
export async function postFrom(visitor: Visitor, path: string, fields: Record<string, string>) {
  const twin = visitor.twin();
  await twin.post(`/subscriptions/${path}`, new URLSearchParams({ csrf: csrfOf(visitor), ...fields }));
  return twin.page;
}

/** Enters these codes at once. @returns how many were compared */
export async function guessAtOnce(visitor: Visitor, codes: string[]): Promise<number> {
  const pages = await Promise.all(codes.map((code) => postFrom(visitor, 'code', { code })));
  return pages.filter(({ html }) => html.includes('That code is not right')).length;
}
