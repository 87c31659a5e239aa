import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { pushWarnings } from '../../domain/records/push-warnings';
import { RecordToRender } from '../../domain/records/record-to-render';
import { MAX_RECORD_MIB, RecordTooLarge } from '../../domain/records/record-too-large';
import type { Company } from '../../domain/records/render-record';
import { scanJson } from '../../domain/records/strict-json';
import { pathOfRecord, type Push, validatePush } from '../../domain/records/validate-push';
import { MessageCollector } from '../../domain/records/validation-messages';
import { countPushRecords } from '../../telemetry/counts';
import { storePush } from '../../store/push/store-push';
import { MOST_STORED_MIB, TooMuchStored } from '../../store/push/stored-bytes';
import { timeLimit } from '../../store/push/time-limit';
import { tryPush } from '../../store/push/try-push';
import { recordCount, type ValidPush } from '../../store/push/valid-push';
import { readDryRun } from '../http/dry-run';
import { HttpError, invalid, unavailable } from '../http/http-error';
import type { Deps, IntegrationContext } from '../http/route';
import { acquireParseSlots } from '../limits/parse-slots';
import { callerOf } from '../limits/rate-limit';
import { notePush } from './note-pushes';

// So many values cost as much time as an ordinary request.
const VALUES_OF_REQUEST = 1_000;
// And so many records, however small they are.
const RECORDS_OF_REQUEST = 40;

/**
 * `POST /api/v1/push`: stores everything in the request or nothing (docs/contract.md E1, E2). `?dry_run=true` checks the
 * same and stores nothing (docs/contract.md E14).
 */
export async function postPush(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const { logged, body, charge } = ctx.state;
  const limit = timeLimit(store); // that of the answer
  const json = scanJson(body);
  await charge?.(json.values / VALUES_OF_REQUEST);
  const release = await acquireParseSlots(callerOf(ctx.state), body.length, json.values);
  try {
    if (ctx.headerSent) throw unavailable(); // the caller was already told to retry
    const { push, dryRun } = await readPush(ctx, json);
    if (isRendered(push)) release(); // the parsed body is no longer referenced
    await charge?.((recordCount(push) + push.elevators.length) / RECORDS_OF_REQUEST);
    const outcome = await (dryRun ? tryPush(store, push) : storePush(store, push, limit));
    if (!outcome.stored && outcome.reason === 'request_id_reused') {
      throw new HttpError('REQUEST_ID_REUSED', 'This X-Request-ID was used before, with another body.');
    }
    if (dryRun) return answerDryRun(ctx, push);
    Object.assign(logged, outcome);
    ctx.status = 204;
    if (!outcome.stored) return; // it was counted when it came first
    countPushRecords(outcome);
    notePush(store, ctx.state.integration, { records: recordCount(push), warnings: push.warnings.count });
  } catch (error) {
    release();
    throw await toAnswer(error, ctx.state);
  } finally {
    release();
  }
}

/** The work before the transaction. Each step takes a few hundred milliseconds for 16 MiB, and then a turn of its own. */
export async function readPush(
  ctx: Pick<IntegrationContext, 'state' | 'query'>,
  { parse, inspect }: ReturnType<typeof scanJson>,
): Promise<{ push: ValidPush; dryRun: boolean }> {
  const { body, integration, requestId, traceparent, logged } = ctx.state;
  const endTurn = takeTurns();
  const uninspected = parse();
  await endTurn();
  const parsed = inspect(uninspected);
  await endTurn();
  const { push, dryRun } = check(parsed, ctx.query['dry_run']);
  await endTurn();
  const { count, messages, shown } = pushWarnings(parsed);
  if (count > 0) Object.assign(logged, { warnings: count, first_warnings: shown });
  const valid = {
    receiptId: `${integration._id}/${requestId}`,
    bodyHash: createHash('sha256').update(body).digest(),
    companyId: integration.company.id,
    records: await renderPush(push, integration.company),
    elevators: push.elevators,
    words: push.words,
    warnings: { count, messages },
    trace: traceparent,
  };
  return { push: valid, dryRun };
}

/** @throws HttpError VALIDATION_ERROR with everything that is wrong at once */
function check(body: unknown, given: unknown): { push: Push; dryRun: boolean } {
  const found = new MessageCollector();
  const dryRun = readDryRun(given, found);
  const checked = validatePush(body, found);
  if (checked.ok) return { push: checked.push, dryRun };
  throw invalid(checked.messages);
}

/** The answer to a push whose records are too large to be stored; any other error stays as it is. */
async function toAnswer(error: unknown, state: IntegrationContext['state']): Promise<unknown> {
  if (error instanceof RecordTooLarge) return refusedFor(error, state);
  if (!(error instanceof TooMuchStored)) return error;
  const what = `More than ${MOST_STORED_MIB} MiB is stored of these records. Send them in several requests.`;
  return new HttpError('PAYLOAD_TOO_LARGE', what);
}

/**
 * Names the record that is too large. This is known only once the record is rendered. The parsed body may be
 * gone by that time, so the body is parsed again.
 */
async function refusedFor(
  { type, id }: RecordTooLarge,
  state: IntegrationContext['state'],
): Promise<HttpError> {
  const { body, integration } = state;
  const { values, parse, inspect } = scanJson(body);
  const release = await acquireParseSlots(callerOf(state), body.length, values);
  try {
    const remoteId = id.slice(`${integration.company.id}-`.length);
    const path = pathOfRecord(inspect(parse()), type, remoteId);
    return invalid({ [path]: [`is larger than ${MAX_RECORD_MIB} MiB as it is stored`] });
  } finally {
    release();
  }
}

function answerDryRun(ctx: IntegrationContext, push: ValidPush): void {
  const records = recordCount(push) + push.elevators.length;
  Object.assign(ctx.state.logged, { dry_run: true, records });
  ctx.body = { records, warning_count: push.warnings.count, warnings: push.warnings.messages };
}

const TURN_MS = 20;

/** For long work in steps. What it returns is called after each, and lets other requests have their turn where this one was long. */
function takeTurns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < TURN_MS) return undefined;
    return yieldToEventLoop().then(() => {
      began = performance.now();
    });
  };
}

// Takes a few milliseconds: a small push is rendered completely before it takes its locks.
const AT_ONCE = 250;

/**
 * The records of a push. The first of each type are rendered at once, the others while the database writes. Records of many
 * values take longer than a turn: other requests have theirs between them.
 */
export async function renderPush(
  push: Push,
  company: Company,
): Promise<Record<EntityType, RecordToRender[]>> {
  const records = { accounts: [], contracts: [], tickets: [], settlements: [] } as Record<
    EntityType,
    RecordToRender[]
  >;
  const endTurn = takeTurns();
  for (const type of ENTITY_TYPES) {
    records[type] = push.records[type].map((record) => new RecordToRender(type, record, company));
    for (const one of records[type].slice(0, AT_ONCE)) {
      void one.rendered;
      const turn = endTurn();
      if (turn) await turn;
    }
  }
  return records;
}

/** Whether nothing of the parsed body is needed any more. */
const isRendered = ({ records, elevators }: Pick<ValidPush, 'records' | 'elevators'>): boolean =>
  elevators.length === 0 && ENTITY_TYPES.every((type) => records[type].length <= AT_ONCE);
