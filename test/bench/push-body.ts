import { createHash, randomUUID } from 'node:crypto';
import { renderPush } from '../../api/erp/post-push';
import type { Company } from '../../domain/records/render-record';
import { validatePush } from '../../domain/records/validate-push';
import type { Store } from '../../store/store';
import type { PushOutcome } from '../../store/push/valid-push';
import { storePush } from '../../store/push/store-push';

export const BENCH_COMPANY: Company = { id: '42', name: 'Prairie Co-op' };

export const pushBody = (tickets: object[]) => ({ data: [{ 'update-tickets': { tickets } }] });

/** What the push route does with a parsed body, under a new request id: validates, renders, stores. */
export async function storeBody(store: Store, body: unknown): Promise<PushOutcome> {
  const validated = validatePush(body);
  if (!validated.ok) throw new Error(JSON.stringify(validated.messages));
  const requestId = randomUUID();
  return storePush(store, {
    receiptId: `bench/${requestId}`,
    bodyHash: createHash('sha256').update(requestId).digest(),
    companyId: BENCH_COMPANY.id,
    records: await renderPush(validated.push, BENCH_COMPANY),
    elevators: [],
    warnings: { count: 0, messages: {} },
  });
}
