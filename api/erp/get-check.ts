import { toldFindings } from '../../domain/records/check/findings';
import { checkCompany, type CompanyCheck } from '../../store/check/check-company';
import type { Deps, IntegrationContext } from '../http/route';
import { streamAnswer } from '../http/stream-answer';
import { createWalks, paced } from '../limits/walks';

const beginWalk = createWalks(2);
/** The number of records between two lines of progress. */
export const SAID_EVERY = 10_000;

/** `GET /api/v1/check`: what is wrong with the records of the integration's company (docs/contract.md E23). @throws HttpError RATE_LIMITED */
export function getCheck(ctx: IntegrationContext, { store }: Deps): void {
  const { integration } = ctx.state;
  const signal = beginWalk(ctx, integration.company.id);
  streamAnswer(ctx, 'application/x-ndjson', linesOf(paced(checkCompany(store, integration)), signal));
}

/** Lines of progress, and a last line with all findings. */
export async function* linesOf(
  walk: AsyncIterable<CompanyCheck>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let said = 0;
  let last: CompanyCheck | undefined;
  for await (last of walk) {
    if (signal.aborted) return;
    const { checked } = last;
    const records = Object.values(checked).reduce((sum, count) => sum + count);
    if (records - said < SAID_EVERY) continue;
    said = records;
    yield lineOf({ checked });
  }
  yield lineOf({ checked: last!.checked, findings: toldFindings(last!.met) });
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;
