import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../tools/local/wait-until';
import type { Bench } from './bench';
import { BenchCustomer } from './bench-customer';
import { median } from './interleave';
import { loading } from './push-load';
import type { Row } from './row';
import { builtCheckout, ServiceOf } from './service-of';
import { checkout } from '../../tools/local/checkout';
import { TicketSource } from './ticket-source';

const PAIRS = 3;
const CHANNELS = 4;
const IN_A_PUSH = 1_000;
const CALLERS = 16;
const SMALL_PUSHES = 100;
const RESETS = 10;
const DEFAULT_PAGE = 1_000;
const BACKLOG_PUSHES = 3;
const EVERYTHING = new Date('2016-01-01T00:00:00Z');
// Until the stalled type has been answered and the backlog is under way.
const SETTLE_MS = 1_500;
const LONG_MS = 600_000;
// A row is worse where it is so much worse in every pair.
const WORSE = 1.05;

type Figure = 'P1' | 'P6' | 'F1' | 'R1' | 'L1';
type Figures = Record<Figure, number>;
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
 * push, reset, gdx. They take turns. A ratio below 1 means that this one is cheaper.
 */
export async function benchAgainst(bench: Bench, ref: string, records: number): Promise<Row[]> {
  const base = builtCheckout(ref, bench.note);
  const pairs: Pair[] = [];
  while (pairs.length < PAIRS) {
    const found = new Map<string, Figures>();
    // Whoever is first in one pair is second in the next one.
    for (const dir of pairs.length % 2 === 0 ? [checkout, base] : [base, checkout]) {
      bench.note(`pair ${pairs.length + 1} of ${PAIRS}: ${dir === base ? ref : 'this commit'}`);
      found.set(dir, await play(bench, dir, records));
    }
    pairs.push({ ours: found.get(checkout)!, theirs: found.get(base)! });
  }
  return againstRows(ref, pairs);
}

/** A row is broken where this commit is dearer in every pair. */
export function againstRows(ref: string, pairs: Pair[]): Row[] {
  return (Object.keys(WHAT) as Figure[]).map((id) => {
    const ratios = pairs.map(({ ours, theirs }) => ours[id] / theirs[id]);
    const shown = pairs.map(
      ({ ours, theirs }) => `${ours[id].toPrecision(3)} and ${theirs[id].toPrecision(3)}`,
    );
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

async function play(bench: Bench, dir: string, records: number): Promise<Figures> {
  const service = await ServiceOf.start(bench, dir);
  const customer = await BenchCustomer.start();
  const largePushes = Math.ceil(records / IN_A_PUSH / CALLERS);
  const source = new TicketSource(CALLERS * largePushes * IN_A_PUSH + 10_000);
  const pushing = async (tokens: string[], pushes: number, size: number) => {
    const load = loading({ url: service.pushUrl, tokens, pushes, records: size, source });
    await load.prepare?.();
    const before = service.cpu('api');
    await load.run();
    return (1e6 * (service.cpu('api') - before)) / (load.units * size);
  };
  const tokens: string[] = [];
  while (tokens.length < CALLERS) tokens.push(await service.addIntegration());
  const [first] = tokens as [string];
  await pushing(tokens, 10, 1); // warms up
  await pushing([first], 5, IN_A_PUSH);
  const large: number[] = []; // one caller alone may not push as much
  for (const token of tokens) large.push(await pushing([token], largePushes, IN_A_PUSH));
  const P1 = large.reduce((sum, each) => sum + each) / CALLERS;
  const P6 = await pushing(tokens, SMALL_PUSHES, 1);
  const stored = CALLERS * (10 + SMALL_PUSHES + largePushes * IN_A_PUSH) + 5 * IN_A_PUSH;
  const firstDelivery = async (slugs: string[]) => {
    const before = service.cpu('worker');
    const pages = customer.pages + (stored * slugs.length) / DEFAULT_PAGE;
    for (const slug of slugs) await service.addChannel(slug, customer.baseUrl, 'tickets');
    for (const slug of slugs) await service.reset(slug, 'tickets', EVERYTHING); // begins at once
    await allDelivered(service, customer, slugs, pages);
    return (1e6 * (service.cpu('worker') - before)) / (stored * slugs.length);
  };
  await firstDelivery(['warm']);
  const channels = Array.from({ length: CHANNELS }, (_, number) => `bench-${number + 1}`);
  const F1 = await firstDelivery(channels);
  const R1 = await resets(service, customer, channels, () => pushing([first], 1, 1));
  return { P1, P6, F1, R1, L1: await besideTrouble(service, customer, first) };
}

async function allDelivered(service: ServiceOf, customer: BenchCustomer, slugs: string[], pages: number) {
  await waitUntil(async () => {
    if (customer.pages < pages) throw new Error(`${customer.pages} of ${pages} pages have come`);
    for (const slug of slugs) {
      const pending = await service.pending(slug);
      if (pending > 0) throw new Error(`${slug} has ${pending} records to come`);
    }
  }, LONG_MS);
}

/** Resets that find one new record each. @returns milliseconds of the worker's CPU for one of them */
async function resets(
  service: ServiceOf,
  customer: BenchCustomer,
  slugs: string[],
  pushOne: () => Promise<unknown>,
) {
  const used = service.cpu('worker');
  for (let round = 0; round < RESETS; round++) {
    const before = new Date();
    await pushOne();
    for (const slug of slugs) await timeReset(service, customer, slug, before);
  }
  return (1e3 * (service.cpu('worker') - used)) / (RESETS * slugs.length);
}

/** @returns the median of the milliseconds from a reset of tickets to its page, beside two types in trouble */
async function besideTrouble(service: ServiceOf, customer: BenchCustomer, token: string): Promise<number> {
  const push = (entity: string, records: object[]) => {
    const body = JSON.stringify({ data: [{ [`update-${entity}`]: { [entity]: records } }] });
    return service.push(token, body);
  };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `${index}`, account_id: '1001' }));
  const slugs = Array.from({ length: CHANNELS }, (_, number) => `trouble-${number + 1}`);
  for (const slug of slugs)
    await service.addChannel(slug, customer.baseUrl, 'accounts,contracts,tickets', 'now');
  await push('accounts', [{ id: '1001', name: 'Meyer Farms' }]);
  for (let sent = 0; sent < BACKLOG_PUSHES; sent++) await push('contracts', numbered(5_000));
  await push('tickets', numbered(1));
  const times: number[] = [];
  customer.treat = (type) => {
    if (type === 'accounts') return { status: 503 };
    return type === 'contracts' ? { status: 200, delayMs: 200 } : { status: 200 };
  };
  for (const slug of slugs) {
    for (const type of ['accounts', 'contracts']) await service.reset(slug, type, EVERYTHING);
    await sleep(SETTLE_MS);
    times.push(await timeReset(service, customer, slug, EVERYTHING));
  }
  return median(times);
}

async function timeReset(
  service: ServiceOf,
  customer: BenchCustomer,
  slug: string,
  to: Date,
): Promise<number> {
  const began = performance.now();
  const page = customer.nextPage(slug, 'tickets');
  await service.reset(slug, 'tickets', to);
  await page;
  return performance.now() - began;
}
