import type { Bench } from './bench';
import { countSubscribed } from './count-subscribed';
import type { Row } from './row';

/** Exact: what a subscribed channel costs must not grow with what others have changed. */
export async function measureS2(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of bench.sizes.subscribed) {
    const store = await bench.openStore({ monitored: true });
    rows.push(...(await countSubscribed(store, size)));
  }
  return rows;
}
