import { formatInstant } from '../../domain/time/instants';
import type { Copy } from './copy-words';

/** Writes `{ "customer", "made_at", "accounts": [...], ... }`, with each record as in a page, on lines of their own. */
export async function* copyFile({ customer, madeAt, batches }: Copy): AsyncGenerator<string> {
  yield JSON.stringify({ customer, made_at: formatInstant(madeAt) }, null, 2).slice(0, -2);
  let type = '';
  for await (const batch of batches) {
    const before = batch.type === type ? ',' : `${type && '\n  ]'},\n  "${batch.type}": [`;
    type = batch.type;
    yield before + batch.records.map((one) => `\n    ${indented(one)}`).join(',');
  }
  yield '\n  ]\n}\n';
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\n    ');
