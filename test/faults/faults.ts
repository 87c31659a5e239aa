import { setTimeout } from 'node:timers/promises';
import type { Part } from '../../deploy/local/part';
import type { Cast, Scene } from './scene';
import { eventually } from '../setup/eventually';
import { filled, frozen, killed, oneAtRandom, rolled, standing, strike, wiped } from './strike';

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
}

const SPACE_MS = 1_000;

const CAST: Cast = {
  apis: 2,
  workers: 2,
  channels: [{ slug: 'acme', page_size: 50, cadence_ms: 1_000 }],
};

const HEALS_MS = 90_000; // a worker looks every minute

async function untilFedAgain({ customers }: Scene): Promise<void> {
  const before = customers.map(({ pages }) => pages.length);
  const isFed = () => {
    if (customers.some(({ pages }, index) => pages.length === before[index])) throw new Error('not fed yet');
  };
  await eventually(isFed, HEALS_MS).catch(() => undefined); // what was not fed is counted as lost
}

const oneOf = (parts: Part[], round: number): Part => parts[round % parts.length]!;

/** The rows of the fault table that are played on real processes (proof). */
export const FAULTS: Record<string, Fault> = {
  rolling: {
    title: 'SIGTERM an API, then a worker, and start them again',
    cast: CAST,
    times: 20,
    repeatedPages: 0,
    async act(scene, round) {
      await rolled(scene, oneOf(scene.apis, round));
      await rolled(scene, oneOf(scene.workers, round));
      await setTimeout(SPACE_MS);
    },
  },
  'kill-api': {
    title: 'kill -9 an API during pushes',
    cast: CAST,
    times: 20,
    repeatedPages: 0,
    async act(scene, round) {
      await setTimeout(Math.random() * SPACE_MS);
      await killed(scene, oneOf(scene.apis, round));
    },
  },
  'kill-worker': {
    title: 'kill -9 a worker during deliveries',
    cast: CAST,
    times: 20,
    repeatedPages: 1,
    async act(scene, round) {
      await setTimeout(Math.random() * SPACE_MS);
      await killed(scene, oneOf(scene.workers, round));
    },
  },
  'kill-mongo': {
    title: 'kill -9 MongoDB under load, back after 2 s',
    cast: CAST,
    times: 5,
    repeatedPages: 1,
    async act(scene) {
      await setTimeout(SPACE_MS * 4);
      await killed(scene, scene.parts.mongo, 2_000);
    },
  },
  'kill-temporal': {
    title: 'kill -9 Temporal under load, back after 2 s',
    cast: CAST,
    times: 5,
    repeatedPages: 1,
    async act(scene) {
      await setTimeout(SPACE_MS * 4);
      await killed(scene, scene.parts.temporal, 2_000);
    },
  },
  'freeze-mongo': {
    title: 'SIGSTOP MongoDB for 8 s, then let it go on',
    cast: CAST,
    times: 3,
    repeatedPages: 1,
    async act({ parts }) {
      await setTimeout(SPACE_MS * 4);
      await frozen(parts.mongo, 8_000);
    },
  },
  'freeze-api': {
    title: 'SIGSTOP an API for 90 s, past the end of its transactions, then let it go on',
    cast: CAST,
    times: 2,
    repeatedPages: 0,
    async act(scene, round) {
      await setTimeout(Math.random() * SPACE_MS);
      await frozen(oneOf(scene.apis, round), 90_000);
      await setTimeout(SPACE_MS * 4);
    },
  },
  'freeze-worker': {
    title: 'SIGSTOP a worker for 30 s, past its heartbeats, then let it go on',
    cast: CAST,
    times: 4,
    repeatedPages: 1,
    async act(scene, round) {
      await setTimeout(SPACE_MS + Math.random() * SPACE_MS);
      await frozen(oneOf(scene.workers, round), 30_000);
    },
  },
  'wipe-temporal': {
    title:
      'kill -9 Temporal and delete its data: the workers make what it needs, the reconciler starts the channels',
    cast: CAST,
    times: 2,
    repeatedPages: 1,
    async act(scene) {
      await setTimeout(SPACE_MS * 4);
      await wiped(scene);
      await untilFedAgain(scene);
    },
  },
  clocks: {
    title: 'the clocks of APIs and workers step back 10 minutes, forward a day, and back',
    cast: CAST,
    times: 3,
    repeatedPages: 0,
    async act(scene) {
      for (const minutes of [-10, 24 * 60, 0]) {
        scene.setClocks(minutes * 60_000);
        await setTimeout(SPACE_MS * 5);
      }
    },
  },
  'disk-full': {
    title: 'no room on MongoDB’s disk for 10 s; then there is, and it is started anew',
    cast: { ...CAST, diskMB: 256 },
    times: 3,
    repeatedPages: 1,
    async act(scene) {
      await setTimeout(SPACE_MS * 4);
      await filled(scene, 10_000);
      await setTimeout(SPACE_MS * 4);
    },
  },
  growing: {
    title: 'take an API or a worker away at random, by kill -9 and SIGTERM in turn, and add it back',
    cast: {
      apis: 2,
      workers: 3,
      channels: [
        { slug: 'acme', page_size: 50, cadence_ms: 1_000 },
        { slug: 'bell', page_size: 7, cadence_ms: 1_000 },
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
};
