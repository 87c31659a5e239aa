// Who may import what (docs/architecture.md, "The house"). `rooms`: whole rooms; `files`: of a room only these;
// `types`: as types only; `packages`: when given, no others than these. A file named under `except` may more.

const SETTINGS = 'settings are read in config.ts and passed in by main.ts';
const MESSAGES = ['workflows/messages'];

export const ROOMS = {
  domain: {
    rooms: [],
    packages: ['@sinclair/typebox', 'ajv', 'ajv/*', 'ipaddr.js', 'big.js', 'node:crypto', 'node:buffer'],
    say: 'domain/ is pure: it imports only itself and libraries that compute',
  },
  store: { rooms: ['domain'], say: 'store/ speaks to MongoDB: it imports domain/ and itself' },
  control: {
    rooms: ['domain', 'store', 'temporal'],
    files: MESSAGES,
    say: 'control/ records, writes and signals: it imports domain/, store/, temporal/ and workflows/messages',
  },
  workflows: {
    rooms: ['domain'],
    types: ['activities', 'store'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    say: 'workflows/ import pure rules of domain/ and types: what touches the world is an activity',
  },
  activities: {
    rooms: ['domain', 'store', 'outbound', 'telemetry'],
    say: 'activities/ import domain/, store/, outbound/ and telemetry/',
  },
  outbound: {
    rooms: ['domain'],
    say: 'outbound/ sends requests, to whomever: it imports domain/ and itself',
  },
  temporal: {
    rooms: ['domain'],
    files: MESSAGES,
    say: 'temporal/ is the Temporal client: it imports domain/, workflows/messages and itself',
  },
  telemetry: {
    rooms: ['domain', 'store'],
    say: 'telemetry/ counts and sends spans: it imports domain/, store/ and itself',
  },
  api: {
    rooms: ['domain', 'store', 'control', 'outbound', 'temporal', 'telemetry'],
    files: MESSAGES,
    except: { 'api/main': ['config'] },
    say: `api/ imports domain/, store/, control/, outbound/, temporal/, telemetry/ and workflows/messages; ${SETTINGS}`,
  },
  cli: {
    rooms: ['client', 'domain', 'store', 'control', 'outbound', 'temporal'],
    files: MESSAGES,
    except: { 'cli/run-gdx': ['config'] },
    say: `cli/ imports client/, domain/, store/, control/, outbound/, temporal/ and workflows/messages; ${SETTINGS}`,
  },
  client: {
    rooms: ['domain', 'outbound'],
    except: { 'client/main': ['config'] },
    say: `client/ runs on machines of ERPs and customers: it imports domain/, outbound/ and itself; ${SETTINGS}`,
  },
  worker: {
    rooms: ['domain', 'store', 'activities', 'outbound', 'temporal', 'telemetry', 'workflows'],
    except: { 'worker/main': ['config'] },
    say: `worker/ wires activities and workflows into a process; ${SETTINGS}`,
  },
  config: { rooms: ['domain'], say: 'config.ts reads the environment: it imports rules of domain/ only' },
  deploy: {
    rooms: ['config', 'outbound'],
    files: ['api/main', 'worker/main', 'cli/main'],
    say: 'deploy/image starts a process by its main.ts, and ships no tools',
  },
};

/** The floors of a room's folders and loose files, from the top: each imports itself and what lies on lower floors. */
export const FLOORS = {
  domain: [['consent', 'deliveries'], ['settings'], ['records'], ['time'], ['text']],
  api: [
    ['main'],
    ['create-app'],
    ['routes'],
    ['guide'],
    ['openapi'],
    ['customer', 'ops'],
    ['channel', 'erp', 'farmer', 'server'],
    ['pages'],
    ['limits'],
    ['http'],
  ],
  store: [
    ['schema'],
    ['check', 'digest', 'sharing'],
    ['codes', 'markers'],
    ['sessions', 'window'],
    ['alerts', 'consent', 'deliveries'],
    ['channels', 'connect', 'push'],
    ['callers', 'records', 'secrets', 'transact'],
    ['end-dead-transactions', 'end-lost-writes', 'store', 'store-mismatch', 'unavailable'],
    ['database-clock'],
  ],
};

/** Packages that belong to a room, with what to do instead. `types`: rooms that may name their types. */
export const PACKAGES = [
  {
    of: ['mongodb', 'mongodb/*', 'bson'],
    rooms: ['store'],
    types: ['activities'],
    say: 'MongoDB is spoken in store/ only: add the query there',
  },
  { of: ['koa', 'koa-*', '@koa/*'], rooms: ['api'], say: 'HTTP is served in api/ only' },
  {
    of: ['@temporalio/client', '@temporalio/envconfig', '@temporalio/proto'],
    rooms: ['temporal'],
    say: 'the Temporal client is used in temporal/ only: add the call there',
  },
  {
    of: ['@temporalio/worker'],
    rooms: ['worker'],
    say: 'workers are made in worker/ only',
  },
  { of: ['@temporalio/workflow'], rooms: ['workflows'], say: 'workflow code stands in workflows/ only' },
  { of: ['@temporalio/activity'], rooms: ['activities'], say: 'activities stand in activities/ only' },
  {
    of: ['undici'],
    rooms: ['outbound'],
    types: ['activities'],
    say: 'requests are sent by outbound/send-request, which takes whatever answers come',
  },
  { of: ['prom-client'], rooms: ['telemetry'], say: 'metrics are defined in telemetry/ only' },
  {
    of: ['@opentelemetry/*', '@temporalio/interceptors-opentelemetry'],
    rooms: ['telemetry'],
    say: 'OpenTelemetry is loaded by telemetry/ only, where traces are on: take domain/settings/tracing',
  },
  { of: ['commander'], rooms: ['cli', 'client'], say: 'commands are defined in cli/ and client/ only' },
];

/** "store" of store/markers/markers.ts, "config" of config.ts; undefined for tools/, test/ and what is not a source. */
export function roomOf(file) {
  const [first = ''] = file.replace(/\.tsx?$/, '').split('/');
  return Object.hasOwn(ROOMS, first) ? first : undefined;
}
