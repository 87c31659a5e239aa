import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

// A file of each room, and one that no table entry names by itself.
const ROOMS = {
  domain: 'domain/records/count.ts',
  store: 'store/markers/markers.ts',
  control: 'control/pause-and-resume.ts',
  workflows: 'workflows/channel-feed.ts',
  activities: 'activities/plan-run.ts',
  outbound: 'outbound/send-request.ts',
  temporal: 'temporal/inspector.ts',
  telemetry: 'telemetry/instruments.ts',
  api: 'api/routes.ts',
  client: 'client/print.ts',
  cli: 'cli/envelope.ts',
  worker: 'worker/health.ts',
  config: 'config.ts',
  deploy: 'deploy/image/health.ts',
  tools: 'tools/local/checkout.ts',
  test: 'test/setup/eventually.ts',
} as const;
type Room = keyof typeof ROOMS;
const TARGETS = Object.keys(ROOMS) as Room[];
const IMPORTERS = TARGETS.filter((room) => !['tools', 'test'].includes(room));

// The table of docs/architecture.md, written down a second time: what a value and what only a type may be imported from.
const MAY: Record<string, { value: Room[]; type?: Room[] }> = {
  domain: { value: [] },
  store: { value: ['domain'] },
  control: { value: ['domain', 'store', 'temporal'] },
  workflows: { value: ['domain'], type: ['activities', 'store'] },
  activities: { value: ['domain', 'store', 'outbound', 'telemetry'] },
  outbound: { value: ['domain'] },
  temporal: { value: ['domain'] },
  telemetry: { value: ['domain', 'store'] },
  api: { value: ['domain', 'store', 'control', 'outbound', 'temporal', 'telemetry'] },
  client: { value: ['domain', 'outbound'] },
  cli: { value: ['client', 'domain', 'store', 'control', 'outbound', 'temporal'] },
  worker: {
    value: ['domain', 'store', 'workflows', 'activities', 'outbound', 'temporal', 'telemetry'],
  },
  config: { value: ['domain'] },
  deploy: { value: ['config', 'outbound'] },
};

const PACKAGES: Record<string, Room[]> = {
  mongodb: ['store'],
  koa: ['api'],
  '@koa/router': ['api'],
  '@temporalio/client': ['temporal'],
  '@temporalio/worker': ['worker'],
  '@temporalio/workflow': ['workflows'],
  '@temporalio/activity': ['activities'],
  undici: ['outbound'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@temporalio/interceptors-opentelemetry': ['telemetry'],
  commander: ['cli', 'client'],
};

interface Plant {
  code: string;
  allowed: boolean;
}

/** Every cell of the importer's row: as value, as type, and loaded when it is needed. */
function plantsFor(from: Room): Plant[] {
  const { value, type = [] } = MAY[from]!;
  const cells = TARGETS.filter((to) => to !== from).flatMap((to): Plant[] => {
    const target = relative(ROOMS[from], ROOMS[to]);
    const isValue = value.includes(to);
    return [
      { code: `import { x } from '${target}';`, allowed: isValue },
      { code: `import type { X } from '${target}';`, allowed: isValue || type.includes(to) },
      { code: `export const y = import('${target}');`, allowed: isValue },
      { code: `export type Y = import('${target}').X;`, allowed: isValue || type.includes(to) },
    ];
  });
  const packages = Object.entries(PACKAGES).map(([name, rooms]): Plant => {
    return { code: `import { x } from '${name}';`, allowed: rooms.includes(from) };
  });
  return [...cells, ...packages];
}

function relative(from: string, to: string): string {
  const found = path.relative(path.dirname(from), to).replace(/\.ts$/, '');
  return found.startsWith('.') ? found : `./${found}`;
}

interface Answer {
  file: string;
  refused: { line: number; rule: string; message: string }[];
}

const planted = IMPORTERS.map((from) => ({ from, plants: plantsFor(from) }));
let answers: Answer[];
beforeAll(() => {
  const input = planted.map(({ from, plants }) => ({
    file: ROOMS[from],
    text: plants.map(({ code }) => code).join('\n'),
  }));
  answers = lintPlanted(input);
});

function lintPlanted(input: { file: string; text: string }[]): Answer[] {
  const script = path.join(__dirname, 'lint-planted.mjs');
  const output = execFileSync(process.execPath, [script], { cwd: checkout, input: JSON.stringify(input) });
  return JSON.parse(String(output)) as Answer[];
}

test.each(planted)(
  '$from imports what the table allows, and is refused everything else',
  ({ from, plants }) => {
    const { refused } = answers.find(({ file }) => file === ROOMS[from])!;
    const lines = new Set(
      refused.filter(({ rule }) => rule === 'house/import-table').map(({ line }) => line),
    );
    const allowed = plants.map(({ code }, index) => [code, !lines.has(index + 1)]);
    expect(allowed).toEqual(plants.map((plant) => [plant.code, plant.allowed]));
  },
);

// Of two files of a room, whether the first may import the second (docs/architecture.md, the floors of api/ and store/).
const FLOORS: [string, string, boolean][] = [
  ['api/routes.ts', 'api/http/route.ts', true],
  ['api/http/route.ts', 'api/limits/rate-limit.ts', false],
  ['api/pages/csrf.ts', 'api/farmer/paths.ts', false],
  ['api/channel/door.ts', 'api/farmer/paths.ts', false],
  ['api/channel/door.ts', 'api/ops/paths.ts', false],
  ['api/ops/paths.ts', 'api/channel/door.ts', true],
  ['store/sharing/grant-and-revoke.ts', 'store/markers/catch-ups.ts', true],
  ['store/channels/channels.ts', 'store/markers/markers.ts', false],
  ['store/store.ts', 'store/secrets/seal.ts', false],
  ['store/alerts/alerts.ts', 'store/consent/consents.ts', false],
];

test('inside api/ and store/, a file imports its own folder and lower floors only', () => {
  const found = lintPlanted(
    FLOORS.map(([file, to]) => ({ file, text: `import { x } from '${relative(file, to)}';` })),
  );
  const allowed = FLOORS.map(([file, to], index) => {
    const { refused } = found[index]!;
    return [file, to, !refused.some(({ rule }) => rule === 'house/import-table')];
  });
  expect(allowed).toEqual(FLOORS);
});

test('the message names the right place', () => {
  const messages = answers.flatMap(({ refused }) => refused.map(({ message }) => message));
  expect(messages).toEqual(
    expect.arrayContaining([
      'MongoDB is spoken in store/ only: add the query there',
      'domain/ is pure: it imports only itself and libraries that compute',
    ]),
  );
});

test('the body of an answer is awaited before anything else', () => {
  const found = lintPlanted(
    [
      'const { status, body } = await sendRequest(url); await drain(body);',
      'const { body: answer } = await sendRequest(url); for await (const part of answer) take(part);',
      'const { status, body } = await sendRequest(url); await note(status); await drain(body);',
      'const answer = await sendRequest(url); await note(answer.status);',
      'const { status } = await sendRequest(url);',
    ].map((text) => ({ file: 'outbound/post-page.ts', text: `async function f() { ${text} }` })),
  );
  const isRefused = found.map(({ refused }) => refused.some(({ rule }) => rule === 'house/body-at-once'));
  expect(isRefused).toEqual([false, false, true, false, true]);
});
