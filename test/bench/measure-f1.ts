import type { CustomerAgent } from '../../outbound/create-agent';
import type { Store } from '../../store/store';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Bench } from './bench';
import { Feeder } from './feeder';
import { type Contestant, interleave, type Laps, medianLap, ratio } from './interleave';
import { fillNaive, naiveFeed } from './naive-service';
import { profile, sharesRow } from './profile';
import { rawFeed } from './raw-feed';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { accountsOfTickets } from './shared-accounts';
import { pushSampleTickets } from './ticket-source';

/** The feed, against the raw loop and the naive service on the same store and sink. */
export async function measureF1(bench: Bench): Promise<Row[]> {
  const { feedPages, naivePages, pageSize } = bench.sizes;
  const store = await bench.openStore();
  bench.note(`F1: storing ${feedPages * pageSize} tickets`);
  await pushSampleTickets(store, feedPages * pageSize);
  await fillNaive(store, naivePages * pageSize);
  const agent = loopbackAgent();
  const raw = {
    run: () => rawFeed(store, agent, bench.sinkUrl, { pages: feedPages, pageSize }),
    units: feedPages,
  };
  return [
    ...(await throughActivity(bench, store, agent, raw)),
    ...(await throughWorkflows(bench, store, raw)),
  ];
}

/** Through the real activity, scope `all` and scope `subscribed`. */
async function throughActivity(
  { sizes, sinkUrl }: Bench,
  store: Store,
  agent: CustomerAgent,
  raw: Contestant,
): Promise<Row[]> {
  const { feedPages, naivePages, pageSize, rounds } = sizes;
  const shared = await accountsOfTickets(store);
  const all = await Feeder.add(store, agent, sinkUrl, { pageSize });
  const subscribed = await Feeder.add(store, agent, sinkUrl, { pageSize, shared });
  const contestants = {
    ours: all.deliveringPages(feedPages),
    subscribed: subscribed.deliveringPages(feedPages),
    raw,
    naive: { run: () => naiveFeed(store, sinkUrl, naivePages, pageSize), units: naivePages },
  };
  const laps = await interleave(contestants, rounds);
  const aMillion = (name: 'ours' | 'raw') => (medianLap(laps[name], 'cpu') * 1_000) / pageSize;
  await contestants.ours.prepare?.();
  const shares = await profile(contestants.ours.run);
  return [
    againstRaw(`feed of ${feedPages} pages, wall: ours / raw`, laps, 'ours'),
    {
      ...row('feed, wall: naive / ours', ratio(laps.naive, laps.ours)),
      bound: { hard: false, atLeast: 3, goal: 5 },
      detail: `naive ${medianLap(laps.naive).toFixed(2)} ms a page`,
    },
    {
      ...row('feed, CPU: ours / raw', ratio(laps.ours, laps.raw, 'cpu')),
      detail: `ours ${medianLap(laps.ours, 'cpu').toFixed(2)}, raw ${medianLap(laps.raw, 'cpu').toFixed(2)} ms a page`,
    },
    {
      ...row('feed, CPU seconds a million records', aMillion('ours')),
      unit: 's',
      bound: { hard: false, atMost: 10 },
      detail: `raw ${aMillion('raw').toFixed(1)} s`,
    },
    sharesRow('F1', 'feed, CPU: share of the driver', shares),
    row('feed, CPU: naive / ours', ratio(laps.naive, laps.ours, 'cpu')),
    againstRaw(`feed of scope subscribed, ${shared.length} accounts, wall: ours / raw`, laps, 'subscribed'),
  ];
}

/** Planned and delivered by the real worker for the real workflows. */
async function throughWorkflows(bench: Bench, store: Store, raw: Contestant): Promise<Row[]> {
  const { feedPages, pageSize, rounds } = bench.sizes;
  const baseUrlOf = () => bench.sinkUrl;
  const stage = await ResetStage.open(bench, store, { channels: 1, pageSize, types: ['tickets'], baseUrlOf });
  const ours = { prepare: () => stage.rewind(), run: () => stage.drain(), units: feedPages };
  const laps = await interleave({ ours, raw }, rounds);
  return [againstRaw('feed through workflows and worker, plan included, wall: ours / raw', laps, 'ours')];
}

const row = (what: string, value: number): Row => ({ id: 'F1', what, value, unit: 'x' });

function againstRaw<Name extends string>(what: string, laps: Laps<Name | 'raw'>, name: Name): Row {
  return {
    ...row(what, ratio(laps[name], laps.raw)),
    bound: { hard: false, atMost: 4, goal: 2.5 },
    detail: `ours ${medianLap(laps[name]).toFixed(2)}, raw ${medianLap(laps.raw).toFixed(2)} ms a page`,
  };
}
