import { pushRecords } from '../setup/push-records';
import type { Bench } from './bench';
import { type Contestant, interleave, medianLap, ratio } from './interleave';
import { ResetStage } from './reset-stage';
import type { Row } from './row';

const CHANNELS = 8;
const PAGE_SIZE = 100;
const BACKLOG = 20_000;
const MOST_IN_A_PUSH = 5_000;
// Until the stalled type has been answered and the backlog is under way.
const SETTLE_MS = 1_500;

/** Resets of one type while another is stalled and a third has a backlog, beside the same without the trouble. */
export async function measureL1(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const numbered = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: `${from + index}`, account_id: '1001' }));
  await pushRecords(store, { accounts: [{ id: '1001', name: 'Meyer Farms' }], tickets: numbered(1_000) });
  for (let from = 0; from < BACKLOG; from += MOST_IN_A_PUSH)
    await pushRecords(store, { contracts: numbered(MOST_IN_A_PUSH, from) });
  const types = ['accounts', 'contracts', 'tickets', 'settlements'] as const;
  const stage = await ResetStage.open(bench, store, {
    channels: CHANNELS,
    pageSize: PAGE_SIZE,
    types: [...types],
  });
  const laps = await interleave({ quiet: quiet(stage), troubled: troubled(stage) }, bench.sizes.rounds);
  const times = [laps.troubled, laps.quiet].map((of) => `${Math.round(medianLap(of))} ms`);
  return [
    {
      id: 'L1',
      what: 'first page of a reset: another type stalled, a third with a backlog / without',
      value: ratio(laps.troubled, laps.quiet),
      unit: 'x',
      bound: { hard: false, atMost: 1.3 },
      detail: `${CHANNELS} channels; ${times.join(', ')}`,
    },
  ];
}

function quiet(stage: ResetStage): Contestant {
  const prepare = () => {
    stage.customer.treat = () => ({ status: 200 });
    return stage.drain();
  };
  return { prepare, run: () => resetAll(stage), units: CHANNELS };
}

function troubled(stage: ResetStage): Contestant {
  const prepare = async () => {
    await stage.drain();
    stage.customer.treat = (type) => {
      if (type === 'accounts') return { status: 503 };
      return type === 'contracts' ? { status: 200, delayMs: 50 } : { status: 200 };
    };
    for (const channel of stage.channels) {
      await stage.reset(channel, 'accounts');
      await stage.reset(channel, 'contracts');
    }
    await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  };
  return { prepare, run: () => resetAll(stage), units: CHANNELS };
}

async function resetAll(stage: ResetStage): Promise<void> {
  for (const channel of stage.channels) await stage.timeReset(channel, 'tickets');
}
