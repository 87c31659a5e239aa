import { MAX_MESSAGES } from '../../domain/records/validation-messages';
import { records as recordsOf } from '../../store/records/records';
import type { Bench } from './bench';
import { handlePush } from './handle-push';
import { interleave, medianLap, ratio } from './interleave';
import { pushBody } from './push-body';
import type { Row } from './row';
import { TicketSource } from './ticket-source';

/** A push in which every record is wrong, against one of as many good records: it costs no more and stores nothing. */
export async function measureP4(bench: Bench): Promise<Row[]> {
  const { pushes, rounds } = bench.sizes;
  const records = pushes.at(-1)!;
  const store = await bench.openStore();
  const source = new TicketSource((rounds + 1) * records);
  let body = Buffer.of();
  const good = {
    prepare: async () => void (body = Buffer.from(JSON.stringify(pushBody(source.take(records))))),
    run: async () => void (await handlePush(store, body)),
    units: records,
  };
  const wrong = source.take(records).map((ticket) => ({ ...ticket, ...WRONG }));
  const wrongBody = Buffer.from(JSON.stringify(pushBody(wrong)));
  let messages: string[] = [];
  const bad = { run: async () => void (messages = await handlePush(store, wrongBody)), units: records };
  bench.note(`P4: pushing ${records} bad records`);
  const laps = await interleave({ bad, good }, rounds);
  const stored = await recordsOf(store, 'tickets').countDocuments();
  const us = (name: keyof typeof laps) => `${name} ${(medianLap(laps[name]) * 1_000).toFixed(1)}`;
  return [
    {
      id: 'P4',
      what: `push of ${records}, wall: bad / good`,
      value: ratio(laps.bad, laps.good),
      unit: 'x',
      bound: { hard: false, atMost: 1 },
      detail: `${us('bad')}, ${us('good')} us a record`,
    },
    count(`messages about ${records} bad records`, messages.length, { hard: true, atMost: MAX_MESSAGES }),
    count('records stored of pushes with bad ones', stored - rounds * records, { hard: true, exactly: 0 }),
  ];
}

const WRONG = { gross_weight: 'heavy', weigh_in_at: 'yesterday', deleted_at: 0 };

function count(what: string, value: number, bound: NonNullable<Row['bound']>): Row {
  return { id: 'P4', what, value, unit: 'count', bound };
}
