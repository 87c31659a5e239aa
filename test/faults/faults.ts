import { setTimeout } from 'node:timers/promises';
import type { Part } from '../../deploy/local/part';
import type { Scene } from './scene';

export interface Fault {
  title: string;
  times: number;
  /** Breaks something and mends it again. */
  act(scene: Scene, round: number): Promise<void>;
  /** Pages that one round may bring twice. */
  repeatedPages: number;
}

const SPACE_MS = 1_000;

const rolled = async (part: Part) => {
  await part.stop();
  await part.start();
};

const killed = async (part: Part, awayMs = 0) => {
  await part.kill();
  await setTimeout(awayMs);
  await part.start();
};

const oneOf = (parts: Part[], round: number): Part => parts[round % parts.length]!;

/** The rows of the fault table that are played on real processes (proof). */
export const FAULTS: Record<string, Fault> = {
  rolling: {
    title: 'SIGTERM an API, then a worker, and start them again',
    times: 20,
    repeatedPages: 0,
    async act({ apis, workers }, round) {
      await rolled(oneOf(apis, round));
      await rolled(oneOf(workers, round));
      await setTimeout(SPACE_MS);
    },
  },
  'kill-api': {
    title: 'kill -9 an API during pushes',
    times: 20,
    repeatedPages: 0,
    async act({ apis }, round) {
      await setTimeout(Math.random() * SPACE_MS);
      await killed(oneOf(apis, round));
    },
  },
  'kill-worker': {
    title: 'kill -9 a worker during deliveries',
    times: 20,
    repeatedPages: 1,
    async act({ workers }, round) {
      await setTimeout(Math.random() * SPACE_MS);
      await killed(oneOf(workers, round));
    },
  },
  'kill-mongo': {
    title: 'kill -9 MongoDB under load, back after 2 s',
    times: 5,
    repeatedPages: 1,
    async act({ parts }) {
      await setTimeout(SPACE_MS * 4);
      await killed(parts.mongo, 2_000);
    },
  },
  'kill-temporal': {
    title: 'kill -9 Temporal under load, back after 2 s',
    times: 5,
    repeatedPages: 1,
    async act({ parts }) {
      await setTimeout(SPACE_MS * 4);
      await killed(parts.temporal, 2_000);
    },
  },
  'freeze-mongo': {
    title: 'SIGSTOP MongoDB for 8 s, then let it go on',
    times: 3,
    repeatedPages: 1,
    async act({ parts }) {
      await setTimeout(SPACE_MS * 4);
      process.kill(parts.mongo.pid!, 'SIGSTOP');
      await setTimeout(8_000);
      process.kill(parts.mongo.pid!, 'SIGCONT');
    },
  },
};
