import { Failure } from './failure';

/** @throws Failure when there is no such integration. */
export function requireIntegration<T>(found: T | null, id: string): T {
  if (found !== null) return found;
  throw new Failure(`there is no integration ${id}`, '`gdx integration list` shows them all');
}
