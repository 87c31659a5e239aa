import { requestDuration } from './instruments';

/** Counts an answered HTTP request. @param path the path in the table of routes; undefined where none matched */
export function countRequest(
  method: string,
  path: string | RegExp | undefined,
  { status, seconds }: { status: number; seconds: number },
): void {
  const route = path === undefined ? 'unmatched' : `${method} ${String(path)}`;
  requestDuration.observe({ route, status }, seconds);
}
