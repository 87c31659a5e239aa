import { requestDuration } from './instruments';

/**
 * A request was answered, whatever the answer.
 * @param path of the table of routes; undefined where none matched
 */
export function countRequest(
  method: string,
  path: string | RegExp | undefined,
  { status, seconds }: { status: number; seconds: number },
): void {
  const route = path === undefined ? 'unmatched' : `${method} ${String(path)}`;
  requestDuration.observe({ route, status }, seconds);
}
