import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { countFeed } from './count-feed';
import type { Row } from './row';

/** Exact, so a few small pages say as much as many large ones: more than one activity's share. */
export async function measureF4(bench: Bench): Promise<Row[]> {
  const agent = loopbackAgent();
  const store = await bench.openStore({ monitored: true });
  const rows = await countFeed(store, agent, bench.sinkUrl, { pages: 60, pageSize: 20 });
  return rows;
}
