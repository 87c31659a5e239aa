import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../tools/local/wait-until';
import { closingAfter } from '../setup/close-at-end';
import type { Bench } from './bench';
import { BenchCustomer } from './bench-customer';
import { loading } from './push-load';
import type { Row } from './row';
import { builtCheckout, ServiceOf } from './service-of';
import { checkout } from '../../tools/local/checkout';
import { TicketSource } from './ticket-source';

const PAIRS = 3;
const CHANNELS = 4;
const IN_A_PUSH = 1_000;
const CALLERS = 16;
// Of each caller: V8 compiles what a push of 1,000 needs for some thirty of them.
const WARM_PUSHES = 2;
const SMALL_PUSHES = 100;
const SMALL_TURNS = 6;
const DELIVERY_TURNS = 3;
const RESET_TURNS = 20;
const TROUBLE_TURNS = 8;
const DEFAULT_PAGE = 1_000;
const BACKLOG_PUSHES = 3;
const EVERYTHING = new Date('2016-01-01T00:00:00Z');
// Until the stalled type has been answered and the backlog is under way.
const SETTLE_MS = 1_500;
const LONG_MS = 600_000;
// A row is worse where it is so much worse in every pair.
const WORSE = 1.05;

type Figure = 'P1' | 'P6' | 'F1' | 'R1' | 'L1';
type Figures = Partial<Record<Figure, number>>;
type Pair = Record<'ours' | 'theirs', Figures>;

const WHAT: Record<Figure, { what: string; unit: string }> = {
  P1: { what: 'CPU of the API for a record, in pushes of 1,000', unit: 'us' },
  P6: { what: 'CPU of the API for a push of one record, over 16 connections', unit: 'us' },
  F1: { what: 'CPU of the worker for a million records to four channels', unit: 's' },
  R1: { what: 'CPU of the worker for a reset of one record', unit: 'ms' },
  L1: { what: 'first page of a reset, one type answered 503 and another with a backlog', unit: 'ms' },
};

/**
 * This commit beside another one, each the whole service in processes of its own, reached through what its users have:
 * push, reset, gdx. Both run at once and take turns within each figure, so that a slower minute of the machine is a slower minute
 * of both. A ratio below 1 means that this one is cheaper.
 * @param only the figures to measure
 */
export async function benchAgainst(
  bench: Bench,
  ref: string,
  records: number,
  only: readonly string[],
): Promise<Row[]> {
  const figures = Object.keys(WHAT);
  if (!figures.some((id) => only.includes(id))) throw new Error(`--against measures ${figures.join(', ')}`);
  const base = builtCheckout(ref, bench.note);
  const pairs: Pair[] = [];
  while (pairs.length < PAIRS) {
    bench.note(`pair ${pairs.length + 1} of ${PAIRS}`);
    pairs.push(await closingAfter(() => play(bench, { ours: checkout, theirs: base }, records, only)));
    for (const { id, value } of againstRows(ref, pairs.slice(-1))) bench.note(`${id} ${value.toFixed(2)}`);
  }
  return againstRows(ref, pairs);
}

/** A row is broken where this commit is dearer in every pair. */
export function againstRows(ref: string, pairs: Pair[]): Row[] {
  const measured = (Object.keys(WHAT) as Figure[]).filter((id) => pairs[0]!.ours[id] !== undefined);
  return measured.map((id) => {
    const values = pairs.map(({ ours, theirs }) => [ours[id]!, theirs[id]!] as const);
    const ratios = values.map(([ours, theirs]) => ours / theirs);
    const shown = values.map((both) => both.map((value) => value.toPrecision(3)).join(' and '));
    return {
      id,
      what: `${WHAT[id].what}: this commit / ${ref}, the least of ${pairs.length} pairs`,
      value: Math.min(...ratios),
      unit: 'x',
      bound: { hard: true, atMost: WORSE },
      detail: `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; ${shown.join(', ')} ${WHAT[id].unit}`,
    };
  });
}

async function play(
  bench: Bench,
  dirs: Record<keyof Pair, string>,
  records: number,
  only: readonly string[],
): Promise<Pair> {
  const sides: Side[] = [];
  const largePushes = Math.ceil(records / IN_A_PUSH);
  for (const [name, dir] of Object.entries(dirs)) sides.push(await Side.start(bench, name, dir, largePushes));
  let turn = 0;
  const inTurns = async (turns: number, measured: Figure, measure: (side: Side) => Promise<number>) => {
    if (!only.includes(measured)) return;
    for (const last = turn + turns; turn < last; turn++)
      // Whoever is first in one turn is second in the next one.
      for (const side of turn % 2 === 0 ? sides : sides.toReversed())
        side.figures[measured] = (side.figures[measured] ?? 0) + (await measure(side)) / turns;
  };
  await inTurns(largePushes, 'P1', (side) => side.pushes(IN_A_PUSH, 1, 1));
  await inTurns(SMALL_TURNS, 'P6', (side) => side.pushes(1, SMALL_PUSHES));
  await inTurns(DELIVERY_TURNS, 'F1', (side) => side.firstDelivery(channelsOf(`turn-${turn}`)));
  await inTurns(RESET_TURNS, 'R1', (side) => side.resets(side.delivered));
  if (only.includes('L1')) for (const side of sides) await beginTrouble(side);
  await inTurns(TROUBLE_TURNS, 'L1', (side) => besideTrouble(side, TROUBLED[turn % CHANNELS]!));
  const [ours, theirs] = sides.map(({ figures }) => figures);
  return { ours: ours!, theirs: theirs! };
}

/** The service of one commit, with its callers and its customer. */
class Side {
  readonly figures: Figures = {};
  /** The channels that have got everything. */
  delivered: string[] = [];
  private readonly source: TicketSource;
  private stored = 0;
  /** The caller whose turn it is: one alone may not push as much. */
  private next = 0;

  private constructor(
    readonly service: ServiceOf,
    readonly customer: BenchCustomer,
    private readonly tokens: string[],
    largePushes: number,
  ) {
    this.source = new TicketSource((CALLERS * WARM_PUSHES + largePushes) * IN_A_PUSH + CALLERS * 2_000);
  }

  static async start(bench: Bench, name: string, dir: string, largePushes: number): Promise<Side> {
    const own = path.join(bench.dir, name);
    mkdirSync(own, { recursive: true });
    const service = await ServiceOf.start({ ...bench, dir: own }, dir);
    const tokens: string[] = [];
    while (tokens.length < CALLERS) tokens.push(await service.addIntegration());
    const side = new Side(service, await BenchCustomer.start(), tokens, largePushes);
    await side.pushes(1, SMALL_PUSHES); // warms up
    await side.pushes(IN_A_PUSH, WARM_PUSHES);
    await side.firstDelivery(['warm']);
    return side;
  }

  /** By all callers, or by so many of them. @returns microseconds of the API's CPU for a record */
  async pushes(size: number, pushes: number, callers = CALLERS): Promise<number> {
    const { source } = this;
    const tokens = Array.from({ length: callers }, () => this.tokens[this.next++ % CALLERS]!);
    const load = loading({ url: this.service.pushUrl, tokens, pushes, records: size, source });
    await load.prepare?.();
    const before = this.service.cpu('api');
    await load.run();
    this.stored += load.units * size;
    return (1e6 * (this.service.cpu('api') - before)) / (load.units * size);
  }

  /** @returns seconds of the worker's CPU for a million records */
  async firstDelivery(slugs: string[]): Promise<number> {
    const { service, customer, stored } = this;
    const before = service.cpu('worker');
    const pages = customer.pages + (stored * slugs.length) / DEFAULT_PAGE;
    for (const slug of slugs) await service.addChannel(slug, customer.baseUrl, 'tickets');
    for (const slug of slugs) await service.reset(slug, 'tickets', EVERYTHING); // begins at once
    await allDelivered(service, customer, slugs, pages);
    this.delivered = slugs;
    return (1e6 * (service.cpu('worker') - before)) / (stored * slugs.length);
  }

  /** A reset of each channel, which finds one new record. @returns milliseconds of the worker's CPU for one of them */
  async resets(slugs: string[]): Promise<number> {
    const used = this.service.cpu('worker');
    const before = new Date();
    await this.pushes(1, 1, 1);
    for (const slug of slugs) await timeReset(this, slug, before);
    return (1e3 * (this.service.cpu('worker') - used)) / slugs.length;
  }

  async push(entity: string, records: object[]): Promise<void> {
    const body = JSON.stringify({ data: [{ [`update-${entity}`]: { [entity]: records } }] });
    await this.service.push(this.tokens[0]!, body);
  }
}

const channelsOf = (name: string) => Array.from({ length: CHANNELS }, (_, number) => `${name}-${number + 1}`);

async function allDelivered(service: ServiceOf, customer: BenchCustomer, slugs: string[], pages: number) {
  await waitUntil(async () => {
    if (customer.pages < pages) throw new Error(`${customer.pages} of ${pages} pages have come`);
    for (const slug of slugs) {
      const pending = await service.pending(slug);
      if (pending > 0) throw new Error(`${slug} has ${pending} records to come`);
    }
  }, LONG_MS);
}

const TROUBLED = channelsOf('trouble');

async function beginTrouble(side: Side): Promise<void> {
  const { service, customer } = side;
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `${index}`, account_id: '1001' }));
  for (const slug of TROUBLED)
    await service.addChannel(slug, customer.baseUrl, 'accounts,contracts,tickets', 'now');
  await side.push('accounts', [{ id: '1001', name: 'Meyer Farms' }]);
  for (let sent = 0; sent < BACKLOG_PUSHES; sent++) await side.push('contracts', numbered(5_000));
  await side.push('tickets', numbered(1));
  customer.treat = (type) => {
    if (type === 'accounts') return { status: 503 };
    return type === 'contracts' ? { status: 200, delayMs: 200 } : { status: 200 };
  };
}

/** @returns milliseconds from a reset of tickets to its page, beside two types in trouble */
async function besideTrouble(side: Side, slug: string): Promise<number> {
  for (const type of ['accounts', 'contracts']) await side.service.reset(slug, type, EVERYTHING);
  await sleep(SETTLE_MS);
  return timeReset(side, slug, EVERYTHING);
}

async function timeReset({ service, customer }: Side, slug: string, to: Date): Promise<number> {
  const began = performance.now();
  const page = customer.nextPage(slug, 'tickets');
  await service.reset(slug, 'tickets', to);
  await page;
  return performance.now() - began;
}
