import { setTimeout } from 'node:timers/promises';
import type { Part } from '../../deploy/local/part';
import type { Cast, Scene } from './scene';
import { killed, oneAtRandom, rolled, standing, strike } from './strike';

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
      process.kill(parts.mongo.pid!, 'SIGSTOP');
      await setTimeout(8_000);
      process.kill(parts.mongo.pid!, 'SIGCONT');
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
