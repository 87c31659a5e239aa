import { type AnyDeed, readInput, Refused } from '../../control/deed';
import { parseStrictJson } from '../../domain/records/strict-json';
import { MessageCollector } from '../../domain/records/validation-messages';
import { readDryRun } from '../http/dry-run';
import { invalid, rateLimited } from '../http/http-error';
import { CHANNEL, type ChannelContext } from '../http/route';
import { channelAsker } from './asker-of';
import type { PageDeps } from './signed-in-state';

/** The route of a deed in the API: with `?dry_run=true` it answers what it would do, where the deed can say that. */
export function deedRoute(row: AnyDeed) {
  const { path, maxBodyBytes, emptyBody } = row.api!;
  return {
    method: 'POST' as const,
    path: `${CHANNEL}${path}`,
    caller: 'channel' as const,
    maxBodyBytes,
    ...(emptyBody && { emptyBody }),
    ...(row.preview && { query: ['dry_run'] }),
    handle: (ctx: ChannelContext, deps: PageDeps) => doAsAsked(row, ctx, deps),
  };
}

async function doAsAsked(row: AnyDeed, ctx: ChannelContext, deps: PageDeps): Promise<void> {
  const { channel, logged } = ctx.state;
  const { input, isDryRun } = readRequest(row, ctx);
  const effect = isDryRun
    ? await row.preview!(deps, channel, input)
    : await row.run(deps, channel, input, channelAsker(ctx.state, deps)).catch(answerRefusal);
  const answer = row.answer!(input, effect);
  Object.assign(logged, { entity_type: input['entity_type'], ...(row.preview && { dry_run: isDryRun }) });
  for (const [name, value] of Object.entries(answer))
    logged[name] = Array.isArray(value) ? value.length : value; // counts, and never a list of ids
  ctx.body = answer;
}

/** @throws HttpError VALIDATION_ERROR with everything that is wrong at once */
function readRequest(row: AnyDeed, ctx: ChannelContext) {
  const found = new MessageCollector();
  const parsed = parseStrictJson(ctx.state.body);
  const body = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const given = (name: string, { path }: { path?: unknown }) => (path ? ctx.params[name] : body[name]);
  const read = readInput(row, given, ctx.state.channel);
  if ('found' in read)
    for (const { field, flaw } of read.found) found.add(`${field}${flaw.at ?? ''}`, flaw.says);
  const isDryRun = row.preview !== undefined && readDryRun(ctx.query['dry_run'], found);
  if ('found' in read || !found.empty) throw invalid(found.messages());
  return { input: read.input, isDryRun };
}

function answerRefusal(error: unknown): never {
  if (!(error instanceof Refused)) throw error;
  if (error.waitMs > 0) throw rateLimited(error.waitMs);
  const { says, advice } = error.flaw;
  throw invalid({ [error.field]: [advice ? `${says}: ${advice}` : says] });
}
