import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Part } from './part';
import { startMongo, type StartedMongo } from './start-mongo';
import { startTemporal, type StartedTemporal } from './start-temporal';

export interface PartsOptions {
  /** The folder of data, logs and pid files: `mongo/`, `temporal.db`, `logs/`. */
  dir: string;
  log: (line: string) => void;
  namespace: string;
  /** Addresses of running parts, which are not started. */
  mongoUri?: string | undefined;
  temporalAddress?: string | undefined;
  /** false: faster, but kill -9 may lose acknowledged writes and all of Temporal. Default true. */
  durable?: boolean;
  /** `usual` (default): 27017, 7233, 8233 when free. `any`: any free ports, for tests. */
  ports?: 'usual' | 'any';
}

/** The real parts, running. */
export interface Parts {
  mongodbUri: string;
  mongodbName: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  mongo: Part;
  temporal: Part;
  stop(): Promise<void>;
}

/**
 * Brings up MongoDB and Temporal, fetching what this machine does not have.
 * @throws Error with what to install, or with the last log lines of a part that did not start.
 */
export async function startParts(options: PartsOptions): Promise<Parts> {
  const { namespace, log, durable = true } = options;
  const dir = path.resolve(options.dir);
  await mkdir(path.join(dir, 'logs'), { recursive: true });
  const usual = (port: number) => (options.ports === 'any' ? 0 : port);
  const ports = { server: usual(7233), ui: usual(8233) };
  const [mongo, temporal] = await bothOrNone([
    timed(log, startMongo({ dir, uri: options.mongoUri, port: usual(27017), durable, log })),
    timed(log, startTemporal({ dir, address: options.temporalAddress, ports, namespace, durable, log })),
  ]);
  return {
    mongodbUri: mongo.uri,
    mongodbName: mongo.name,
    temporalAddress: temporal.address,
    temporalUiUrl: temporal.uiUrl,
    mongo: mongo.part,
    temporal: temporal.part,
    stop: async () => {
      await Promise.all([temporal.part.stop(), mongo.part.stop()]); // in any order
    },
  };
}

const ORIGINS = {
  given: 'by its address',
  path: 'on PATH',
  download: 'downloaded',
  pypi: 'from PyPI',
  own: '',
};

async function timed<T extends StartedMongo | StartedTemporal>(
  log: (line: string) => void,
  starting: Promise<T>,
): Promise<T> {
  const began = Date.now();
  const started = await starting;
  const address = 'uri' in started ? new URL(started.uri).host : started.address;
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  log(`${started.part.name}: ${started.name} (${ORIGINS[started.part.how]}) at ${address}, ${seconds} s`);
  return started;
}

/** Waits for both, so that one error reports everything that is missing. */
async function bothOrNone<A extends { part: Part }, B extends { part: Part }>(
  starting: [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled(starting);
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value];
  const errors: Error[] = [];
  for (const one of [first, second]) {
    if (one.status === 'fulfilled') await one.value.part.stop();
    else errors.push(one.reason as Error);
  }
  throw new Error(errors.map((error) => error.message).join('\n\n'), { cause: errors[0] });
}
