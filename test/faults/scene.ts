import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Document } from 'mongodb';
import path from 'node:path';
import { freePort } from '../../tools/local/free-port';
import type { Part } from '../../tools/local/part';
import type { Parts } from '../../tools/local/start-parts';
import { beginHistory, recordChannel, recordEvent } from '../../tools/judge/record-history';
import type { Store } from '../../store/store';
import { addIntegration } from '../../store/callers/integrations';
import { databaseUri } from '../bench/open-bench-store';
import { pushSampleTickets } from '../bench/ticket-source';
import { addTestChannel } from '../setup/add-test-channel';
import { closeAtEnd } from '../setup/close-at-end';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { runProgram } from '../setup/own-namespace';
import { ownParts } from '../setup/own-parts';
import { COMPANY } from '../setup/push-records';
import { startServicePart } from '../setup/service-part';
import { temporaryFolder } from '../setup/temporary-folder';
import { RunChecker } from '../model/run-checker';
import { watchCustomer } from '../model/watch-run';
import { startStrictWire, type StrictWire } from '../strict/strict-wire';
import { Erp } from './erp';

const ERPS = 4;
const NAMESPACE = 'gdx-faults';
const SHIFT_CLOCK = path.join(__dirname, 'shift-clock.mjs');
const LOG_COMMITS = path.join(__dirname, 'log-commits.mjs');

/** How large a scene is. Every channel has a customer of its own. */
export interface Cast {
  apis: number;
  workers: number;
  /** How many ERPs push, one push after the other. Default 4. */
  erps?: number;
  channels: { slug: string; page_size: number; cadence_ms: number }[];
  /** How many tickets are stored before anything else happens. */
  backlog?: number;
  /** How much room MongoDB has, instead of the whole disk: a mount, which needs a namespace of its own. */
  diskMB?: number;
  /** A MongoDB that runs already, instead of one of the scene's own. */
  mongoUri?: string | undefined;
  /** APIs and workers meet a MongoDB as strict as mongod (test/strict/README.md). */
  isStrict?: boolean | undefined;
}

export interface Silence {
  ms: number;
  endsAfterKillMs: number;
}

/** What was done to the processes, and what only some faults measure. */
export interface Tally {
  /** The names of the faults so far, where they are chosen at random. */
  played: string[];
  killed: number;
  stopped: number;
  added: number;
  /** For each kill, the longest time in which the customer got no page of a delivery that had more. */
  silences: Silence[];
  /** Why activities were tried again although nothing had been broken. */
  retried: string[];
}

/** The whole service as processes of its own, with ERPs that push and customers that are fed. */
export interface Scene {
  parts: Parts;
  /** Where the parts keep their data: `mongo/`, `temporal.db`. */
  dir: string;
  /** Where every process writes what it says; the folder outlives the scene. */
  logs: string;
  /** The addresses of Temporal and MongoDB, as the services are given them. */
  settings: NodeJS.ProcessEnv;
  apis: Part[];
  workers: Part[];
  erps: Erp[];
  customers: FakeCustomer[];
  /** How many tickets were stored at first. */
  backlog: number;
  /** Those that were taken away and are on their way back. */
  away: Map<Part, Promise<void>>;
  tally: Tally;
  /** For what is compared at the end. */
  store: Store;
  /** Between the service and MongoDB, where it is strict. */
  wire: StrictWire | undefined;
  /** Says whether the model of commit order allows what comes over it. */
  checker: RunChecker | undefined;
  /** The request ids of the pushes of each commit that MongoDB acknowledged, as the APIs saw it on the wire. */
  committed(): string[][];
  /** Puts the clocks of APIs and workers off by so much, or of one of them. */
  setClocks(ms: number, of?: Part[]): void;
}

/**
 * It is gone with the test, or with what is `closingAfter`.
 * @param logs an empty folder, for what the processes say
 */
export async function openScene(cast: Cast, logs: string): Promise<Scene> {
  const dir = temporaryFolder('gdx-faults', 'test');
  symlinkSync(logs, path.join(dir, 'logs'));
  const commits = path.join(dir, 'commits');
  writeFileSync(commits, '');
  if (cast.diskMB) mountDisk(path.join(dir, 'mongo'), cast.diskMB);
  const parts = await ownParts({ dir, namespace: NAMESPACE, mongoUri: cast.mongoUri });
  const store = await openStore(parts.mongodbUri);
  const checker = cast.isStrict ? new RunChecker() : undefined;
  const upstream = new URL(parts.mongodbUri).host;
  const observe = (command: Document) => checker!.commandSent(command);
  const wire = checker && (await startStrictWire({ upstream, observe }));
  const mongodbUri = wire ? `${databaseUri(wire.uri, store.db.databaseName)}?` : `${parts.mongodbUri}&`;
  const settings = {
    GDX_TEST_COMMITS: commits,
    MONGODB_URI: `${mongodbUri}monitorCommands=true`,
    TEMPORAL_ADDRESS: parts.temporalAddress,
    TEMPORAL_NAMESPACE: NAMESPACE,
  };
  if (!cast.backlog) beginHistory(); // what is stored otherwise is nobody's push
  if (cast.backlog) await pushSampleTickets(store, cast.backlog);
  const customers = await Promise.all(
    cast.channels.map((channel) => addFedCustomer({ store, checker }, channel)),
  );
  const ports = await Promise.all(times(cast.apis, () => freePort()));
  const [apis, workers] = await Promise.all([
    Promise.all(ports.map((port, index) => service(dir, settings, 'api', index, port))),
    Promise.all(times(cast.workers, (index) => service(dir, settings, 'worker', index, 0))),
  ]);
  return {
    parts,
    dir,
    logs,
    settings,
    store,
    wire,
    checker,
    apis,
    workers,
    customers,
    backlog: cast.backlog ?? 0,
    away: new Map(),
    tally: { played: [], killed: 0, stopped: 0, added: 0, silences: [], retried: [] },
    erps: await makeErps(store, ports, cast.erps),
    committed: () =>
      readFileSync(commits, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ')),
    setClocks(ms, of = [...apis, ...workers]) {
      recordEvent(() => ({ event: 'clock', begin: Date.now(), off: ms }));
      for (const { name } of of) writeFileSync(clockOf(dir, name), String(ms));
    },
  };
}

export async function addFedCustomer(
  { store, checker }: Pick<Scene, 'store' | 'checker'>,
  { slug, ...settings }: Cast['channels'][number],
): Promise<FakeCustomer> {
  const customer = await FakeCustomer.start();
  if (checker) watchCustomer(checker, customer);
  const { signingSecret } = await addTestChannel(store, slug, customer.baseUrl, settings);
  recordChannel(slug, 'all', signingSecret);
  return customer;
}

async function makeErps(store: Store, ports: number[], count = ERPS): Promise<Erp[]> {
  const { token } = await addIntegration(store, { name: 'agris', company: COMPANY });
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  return times(count, (index) => new Erp(`erp${index}`, token, urls));
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

function mountDisk(dir: string, MB: number): void {
  mkdirSync(dir);
  runProgram(['mount', '-t', 'tmpfs', '-o', `size=${MB}m`, 'tmpfs', dir], 'a small disk cannot be mounted');
  closeAtEnd(() => runProgram(['umount', dir], 'the small disk is still in use'));
}

/** The file by which the clock of one process is off. */
const clockOf = (dir: string, name: string) => path.join(dir, `clock of ${name}`);

function service(
  dir: string,
  settings: NodeJS.ProcessEnv,
  kind: 'api' | 'worker',
  index: number,
  port: number,
): Promise<Part> {
  const name = `${kind} ${index}`;
  const clock = clockOf(dir, name);
  writeFileSync(clock, '0');
  const env = {
    ...settings,
    GDX_TEST_CLOCK: clock,
    GDX_RECONCILE_SECONDS: '2', // starts the channel's workflow, again where it is gone
    GDX_METRICS_PORT: 'off',
    LOG_LEVEL: 'info',
    PORT: String(port),
  };
  return startServicePart(kind, {
    name,
    env,
    dir: path.join(dir, 'logs'),
    imports: [SHIFT_CLOCK, LOG_COMMITS],
  });
}
