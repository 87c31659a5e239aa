import { setTimeout } from 'node:timers/promises';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { Part } from '../../tools/local/part';
import type { Cast, Scene } from './scene';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/spans';
import { eventually } from '../setup/eventually';
import { deliverBesideLoops, killDelivering } from './backlog';
import { deafened, lagged, locked, interruptedReads, steppedDown } from './strike-mongo';
import { filled, frozen, killed, oneAtRandom, rolled, standing, strike, takenForDead, wiped } from './strike';

export interface Fault {
  title: string;
  cast: Cast;
  /** How many rounds, at most. */
  times: number;
  /** For how long rounds are played. */
  minutes?: number;
  /** Breaks something and mends it again; what is in `scene.away` may still be on its way back. */
  act(scene: Scene, round: number): Promise<void>;
  /** Pages that one round may bring twice. */
  repeatedPages: number;
  /** For how long a customer may get nothing after a kill. */
  silenceMs?: number;
  /** How many pushes a stand-in for mongod may lose in a round after it acknowledged their commit (docs/proof.md). */
  standInForgets?: number;
}

const SPACE_MS = 1_000;

const CAST: Cast = {
  apis: 2,
  workers: 2,
  channels: [{ slug: 'acme', page_size: 50, cadence_ms: 1_000 }],
};

const WITH_BACKLOG: Cast = { ...CAST, apis: 1, backlog: 220_000 };

const HEALS_MS = 90_000; // a worker looks every minute

async function untilFedAgain({ customers }: Scene): Promise<void> {
  const before = customers.map(({ pages }) => pages.length);
  const isFed = () => {
    if (customers.some(({ pages }, index) => pages.length === before[index])) throw new Error('not fed yet');
  };
  await eventually(isFed, HEALS_MS).catch(() => undefined); // what was not fed is counted as lost
}

const oneOf = (parts: Part[], round: number): Part => parts[round % parts.length]!;

// Of most faults: on the usual cast, a number of rounds, each of which may bring so many pages twice.
const usual = (
  title: string,
  [times, repeatedPages]: [number, number],
  act: (scene: Scene, round: number) => Promise<unknown>,
): Fault => ({
  title,
  cast: CAST,
  times,
  repeatedPages,
  act: async (scene, round) => void (await act(scene, round)),
});

const soon = () => setTimeout(Math.random() * SPACE_MS);
const later = () => setTimeout(SPACE_MS * 4);

/** Puts one process's clock off for a while. */
async function offFor(scene: Scene, round: number, { off, forMs }: { off: number; forMs: number }) {
  const of = [oneOf([...scene.apis, ...scene.workers], round)];
  scene.setClocks(off, of);
  await setTimeout(forMs);
  scene.setClocks(0, of);
}

// As a server that is alone and kind does not fail: on the wire of test/strict.
const strictly = (...[title, counts, act]: Parameters<typeof usual>): Fault => ({
  ...usual(title, counts, async (scene, round) => {
    await later();
    await act(scene, round);
  }),
  cast: { ...CAST, isStrict: true },
});

/** The rows of the fault table that are played on real processes (docs/proof.md). */
export const FAULTS: Record<string, Fault> = {
  rolling: usual('SIGTERM an API, then a worker, and start them again', [20, 0], async (scene, round) => {
    await rolled(scene, oneOf(scene.apis, round));
    await rolled(scene, oneOf(scene.workers, round));
    await setTimeout(SPACE_MS);
  }),
  'kill-api': {
    ...usual('kill -9 an API during pushes, which go together', [20, 0], async (scene, round) => {
      await soon();
      await killed(scene, oneOf(scene.apis, round));
    }),
    cast: { ...CAST, erps: 32 },
  },
  'kill-worker': usual('kill -9 a worker during deliveries', [20, 1], async (scene, round) => {
    await soon();
    await killed(scene, oneOf(scene.workers, round));
  }),
  'kill-delivering': {
    ...usual(
      'kill -9 the worker that delivers 220,000 records to a new customer, with another at hand',
      [10, 1],
      killDelivering,
    ),
    cast: WITH_BACKLOG,
    silenceMs: 6_000,
  },
  'busy-worker': {
    ...usual(
      'deliver 220,000 records beside two busy loops: no worker is taken for dead',
      [99, 0],
      deliverBesideLoops,
    ),
    cast: WITH_BACKLOG,
    minutes: 10,
  },
  'kill-mongo': usual('kill -9 MongoDB under load, back after 2 s', [5, 1], async (scene) => {
    await later();
    await killed(scene, scene.parts.mongo, 2_000);
  }),
  'kill-temporal': usual('kill -9 Temporal under load, back after 2 s', [5, 1], async (scene) => {
    await later();
    takenForDead(scene);
    await killed(scene, scene.parts.temporal, 2_000);
  }),
  'freeze-mongo': usual('SIGSTOP MongoDB for 8 s, then let it go on', [3, 1], async ({ parts }) => {
    await later();
    await frozen(parts.mongo, 8_000);
  }),
  'freeze-api': usual(
    'SIGSTOP an API for 90 s, past the end of its transactions, then let it go on',
    [2, 0],
    async (scene, round) => {
      await soon();
      await frozen(oneOf(scene.apis, round), 90_000);
      await later();
    },
  ),
  'freeze-worker': usual(
    'SIGSTOP a worker, the first for 90 s and others for 30 s, past its heartbeats, then let it go on',
    [4, 1],
    async (scene, round) => {
      await soon();
      takenForDead(scene);
      await frozen(oneOf(scene.workers, round), round === 0 ? 90_000 : 30_000);
    },
  ),
  'wipe-temporal': usual(
    'kill -9 Temporal and delete its data: the workers make what it needs, the reconciler starts the channels',
    [2, 1],
    async (scene) => {
      await later();
      await wiped(scene);
      await untilFedAgain(scene);
    },
  ),
  clocks: usual(
    'the clocks of APIs and workers step back 10 minutes, forward a day, and back',
    [3, 0],
    async (scene) => {
      for (const minutes of [-10, 24 * 60, 0]) {
        scene.setClocks(minutes * 60_000);
        await later();
      }
    },
  ),
  'clock-ahead': usual(
    'the clock of an API or a worker, each in turn, is two hours ahead for a minute, and is set back',
    [4, 0],
    async (scene, round) => {
      await later();
      await offFor(scene, round, { off: 2 * HOUR_MS, forMs: MINUTE_MS });
    },
  ),
  'clock-behind': usual(
    'the clock of an API or a worker, each in turn, is a day behind for a minute, and is set right',
    [4, 0],
    async (scene, round) => {
      await later();
      await offFor(scene, round, { off: -DAY_MS, forMs: MINUTE_MS });
    },
  ),
  'disk-full': {
    ...usual(
      'no room on MongoDB’s disk for 10 s; then there is, and it is started anew',
      [3, ENTITY_TYPES.length], // of each type the page whose confirmation found no room
      async (scene) => {
        await later();
        await filled(scene, 10_000);
        await later();
      },
    ),
    cast: { ...CAST, diskMB: 256 },
    standInForgets: 1,
  },
  growing: {
    title: 'take an API or a worker away at random, by kill -9 and SIGTERM in turn, and add it back',
    cast: {
      apis: 2,
      workers: 3,
      channels: [
        { slug: 'acme', page_size: 50, cadence_ms: 1_000 },
        { slug: 'bison', page_size: 7, cadence_ms: 1_000 },
      ],
    },
    times: Infinity,
    minutes: 10,
    repeatedPages: 1,
    async act(scene, round) {
      await setTimeout(SPACE_MS + Math.random() * 3 * SPACE_MS);
      const part = oneAtRandom(standing(scene));
      if (part) strike(scene, part, round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    },
  },
  'step-down': strictly(
    'the primary steps down for 1 to 10 s, between two commands or within them, known at once or late',
    [75, 1],
    steppedDown,
  ),
  'lost-answers': strictly('the answers to commits are lost', [75, 1], deafened),
  'ended-reads': strictly('cursors are gone, plans killed and times over', [75, 1], interruptedReads),
  lagging: strictly('a majority is behind by up to 2 s', [50, 1], lagged),
  'index-build': strictly('an index build has the lock on a collection for up to 2 s', [25, 1], locked),
};
