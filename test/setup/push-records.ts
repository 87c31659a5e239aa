import { createHash, randomUUID } from 'node:crypto';
import { renderPush } from '../../api/erp/post-push';
import type { RecordType } from '../../domain/records/commands';
import type { Company } from '../../domain/records/render-record';
import { WORD, type Words } from '../../domain/records/erp-word';
import { validatePush } from '../../domain/records/validate-push';
import type { Store } from '../../store/store';
import type { PushOutcome } from '../../store/push/valid-push';
import { storePush } from '../../store/push/store-push';

export const COMPANY: Company = { id: '42', name: 'Prairie Co-op' };

/** So many that whoever stores them looks what has changed before the counter is taken. */
export const MANY = Array.from({ length: 101 }, (_, i) => ({
  id: `M${i}`,
  name: 'Many',
  account_id: '1001',
}));

/** Stores records as the push route does, without HTTP. */
export async function pushRecords(
  store: Store,
  pushed: Partial<Record<RecordType, object[]>>,
  company = COMPANY,
  trace?: string,
  words: Words = {},
): Promise<PushOutcome> {
  const data = Object.entries(pushed).map(([type, list]) => ({
    [`update-${type}`]: { [type]: list, [WORD]: (words as Partial<Record<string, string>>)[type] },
  }));
  const validated = validatePush(JSON.parse(JSON.stringify({ data })));
  if (!validated.ok) throw new Error(JSON.stringify(validated.messages));
  return storePush(store, {
    receiptId: `test/${randomUUID()}`,
    bodyHash: createHash('sha256').update(JSON.stringify(data)).digest(),
    companyId: company.id,
    records: await renderPush(validated.push, company),
    elevators: validated.push.elevators,
    words: validated.push.words,
    warnings: { count: 0, messages: {} },
    trace,
  });
}
