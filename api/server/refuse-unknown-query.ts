import type { Middleware } from 'koa';
import { nearestName } from '../../domain/text/nearest-name';
import { MessageCollector } from '../../domain/records/validation-messages';
import { invalid } from '../http/http-error';

/**
 * 422 for a parameter of the query that the route does not know: `?dryrun=true` must not store (docs/contract.md A1).
 * @param known the names of those that it knows
 */
export const refuseUnknownQuery =
  (known: readonly string[] = []): Middleware =>
  (ctx, next) => {
    const found = new MessageCollector();
    for (const name of Object.keys(ctx.query))
      if (!known.includes(name)) found.add(name, unknown(name, known));
    if (!found.empty) throw invalid(found.messages());
    return next();
  };

function unknown(name: string, known: readonly string[]): string {
  const near = nearestName(name.slice(0, LONGEST), known);
  if (near !== undefined) return `is not a parameter of this request: is it ${near}?`;
  return `is not a parameter of this request, which has ${known.length > 0 ? known.join(', ') : 'none'}`;
}

// To compare names takes as long as both are, one times the other.
const LONGEST = 64;
