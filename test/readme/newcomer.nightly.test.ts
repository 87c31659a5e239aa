import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { freePort } from '../../tools/local/free-port';
import { Visitor } from '../farmer/visitor';
import { eventually } from '../setup/eventually';
import { pressCtrlC, Terminal } from './terminal';

// The README's path, typed as it stands there, in a folder of its own; only its ports are free ones.

const README = readFileSync(path.join(checkout, 'README.md'), 'utf8');

/** A block of the README's path, typed into one of its terminals. */
interface ReadmeStep {
  terminal: number;
  commands: string;
}

/** The blocks that begin with `# terminal N`, in order. */
const README_STEPS: ReadmeStep[] = [...README.matchAll(/^```sh\n# terminal (\d).*\n([\s\S]*?)^```/gm)].map(
  ([, terminal, commands]) => ({ terminal: Number(terminal), commands: commands! }),
);

/** The address that a farmer is to open. */
const FARMER_LINK = /`(http:\S*\/subscriptions\?\S+)`/.exec(README)![1]!;

const dir = mkdtempSync(path.join(tmpdir(), 'gdx-newcomer-'));
const left: ChildProcess[] = [];
let ports: Record<string, number>;
let terminal: Terminal;

beforeAll(async () => {
  for (const name of readdirSync(checkout)) {
    if (['.git', '.local', 'node_modules'].includes(name)) continue;
    cpSync(path.join(checkout, name), path.join(dir, name), { recursive: true });
  }
  symlinkSync(path.join(checkout, 'node_modules'), path.join(dir, 'node_modules'));
  mkdirSync(path.join(dir, '.local'));
  // what was fetched for the tests need not be fetched again
  for (const fetched of ['python', 'programs']) {
    symlinkSync(path.join(checkout, '.local', fetched), path.join(dir, '.local', fetched));
  }
  ports = { 3000: await freePort(0), 9000: await freePort(0), 9001: await freePort(0) };
  const { MONGODB_URI: _, TEMPORAL_ADDRESS: __, TEMPORAL_NAMESPACE: ___, ...env } = process.env;
  const { 3000: PORT, 9000: RECEIVER } = ports;
  terminal = new Terminal(dir, { ...env, PORT: `${PORT}`, GDX_METRICS_PORT: '0', RECEIVER: `${RECEIVER}` });
});

afterAll(async () => {
  for (const child of left) await pressCtrlC(child);
  rmSync(dir, { recursive: true, force: true });
});

const here = (text: string) => text.replace(/(?<!\d)(3000|9000|9001)(?!\d)/g, (port) => `${ports[port]}`);
const steps = [...README_STEPS];

/** Types the next block. */
async function next(expected: RegExp): Promise<string> {
  const { commands } = steps.shift()!;
  expect(commands).toMatch(expected);
  return terminal.type(here(commands));
}

/** Types the next block, which stays. */
function leave(expected: RegExp, more = ''): { process: ChildProcess; printed: () => string } {
  const { commands } = steps.shift()!;
  expect(commands).toMatch(expected);
  const running = terminal.leave(`${more} ${here(commands)}`);
  left.push(running.process);
  return running;
}

const find = (text: string, what: RegExp) => what.exec(text)?.[0] ?? fail(`no ${what} in:\n${text}`);

test('the path of the README, from start to stop', async () => {
  const service = leave(/^npm start/);
  await eventually(() => expect(service.printed()).toContain(`127.0.0.1:${ports[3000]}`), 240_000);
  await eventually(async () => {
    expect((await fetch(`http://127.0.0.1:${ports[3000]}/readyz`)).status).toBe(200);
  });

  const added = await next(/integration add[\s\S]*channel add/);
  const exported = steps.shift()!.commands;
  for (const [name, shape] of Object.entries({
    TOKEN: /gdx_erp_\w+/,
    API_KEY: /gdx_channel_\w+/,
    SIGNING_SECRET: /whsec_\S+/,
  })) {
    expect(exported).toContain(`${name}=${shape.source.slice(0, 6)}`);
    terminal.exported[name] = find(added, shape);
  }
  terminal.exported['URL'] = here(/URL=(\S+)/.exec(exported)![1]!);
  const receiver = leave(/receiver/, `env PORT=${ports[9000]}`);
  await eventually(() => expect(receiver.printed()).toContain('listening'));

  const { commands } = steps.shift()!;
  const [push, look] = here(commands).split(/^sleep 7$/m) as [string, string];
  expect(await terminal.type(push)).toContain('HTTP/1.1 204');
  await eventually(async () => {
    const seen = await terminal.type(look);
    expect(seen).toMatch(/accounts +\S+Z/); // the marker has moved
    expect(seen).toContain('delivered');
    expect(seen).toContain('"Meyer Farms"');
  });

  expect(JSON.parse(find(await next(/markers\/accounts\/reset/), /\{.*\}/))).toMatchObject({
    records: 1,
    pages: 1,
  });
  await eventually(() => expect(receiver.printed().match(/200 accounts/g)).toHaveLength(2));

  const safe = await next(/channel add safe[\s\S]*subscribed/);
  steps[0]!.commands = steps[0]!.commands.replace('whsec_...', find(safe, /whsec_\S+/));
  const second = leave(/PORT=9001/, 'env');
  await eventually(() => expect(second.printed()).toContain('listening'));
  const link = new URL(here(FARMER_LINK));
  await shareAs(new Visitor(ports[3000]!), link);
  expect((await fetch(link.searchParams.get('callback_url')!)).status).toBe(200);
  await eventually(() => expect(second.printed()).toMatch(/200 accounts/));
  expect(await next(/subscriptions safe/)).toContain('42-1001');
  expect(steps).toEqual([]);

  await pressCtrlC(service.process);
  await expect(fetch(`http://127.0.0.1:${ports[3000]}/livez`)).rejects.toThrow();
}, 600_000);

/** What the farmer does on the page. */
async function shareAs(farmer: Visitor, link: URL): Promise<void> {
  await farmer.get(link.pathname + link.search);
  expect(farmer.page).toMatchObject({ status: 200, path: '/subscriptions/phone' });
  await farmer.submit({});
  await farmer.submit({ code: find(farmer.page.html, /\b\d{6}\b/) });
  await farmer.submit({ account: '42-1001' });
  await farmer.submit({ do: 'save' });
  expect(farmer.page.path).toBe('/subscriptions/done');
}

function fail(reason: string): never {
  throw new Error(reason);
}
