import { type Fault, FAULTS } from '../faults/faults';
import type { Scene } from '../faults/scene';
import { oneAtRandom } from '../faults/strike';

// Each mends what it breaks before the next one comes, and needs no more than the scene.
const steady = ({ wire }: Scene) =>
  Object.entries(FAULTS).filter(
    ([, { minutes, cast }]) =>
      minutes === undefined && !cast.diskMB && !cast.backlog && (wire !== undefined || !cast.isStrict),
  );

/** Cycles at two seconds, and a fault of the table at random, over and over; the first API and worker are spared. */
export const SOAK: Fault = {
  title: 'cycles at two seconds with faults at random',
  cast: {
    apis: 2,
    workers: 2,
    channels: [
      { slug: 'acme', page_size: 50, cadence_ms: 2_000 },
      { slug: 'bison', page_size: 7, cadence_ms: 2_000 },
    ],
  },
  times: Infinity,
  minutes: 60,
  repeatedPages: 1,
  async act(scene, round) {
    const rest = { ...scene, apis: scene.apis.slice(1), workers: scene.workers.slice(1) };
    const [name, fault] = oneAtRandom(steady(scene))!;
    scene.tally.played.push(name);
    await fault.act(rest, round);
  },
};

/** Those that live from the beginning to the end, and so would show what they do not let go. */
export const spared = ({ apis, workers }: Scene) => [apis[0]!, workers[0]!];
