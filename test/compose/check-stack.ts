import { ENTITY_TYPES } from '../../domain/entity-types';
import type { Findings } from '../production/findings';
import { eventually } from '../setup/eventually';
import { Load } from './load';
import type { Stack } from './stack';

const OURS = ['api', 'worker'];
const OTHERS = ['mongodb', 'temporal', 'postgresql', 'temporal-ui'];

/** All that docs/deploy.md says of one host, in containers, while ERPs push and a customer is fed. */
export async function checkStack(stack: Stack, findings: Findings): Promise<void> {
  await findings.that('`up` with the image before ends with everything healthy', () => up(stack));
  if (!findings.allHold) return; // nothing else could hold
  const load = await Load.begin(stack);
  await findings.that('pushes arrive at the customer', () => load.flows());
  await findings.that('an upgrade to this image, as docs/deploy.md has it', () => upgrade(stack, load));
  await findings.that('API and worker have no rights, as the user 1000', async () => withoutRights(stack));
  await findings.that('API and worker read what is theirs, and nothing else', async () => ownUsers(stack));
  await findings.that('the demo profile’s pages arrive', () => demo(stack));
  for (const service of [...OURS, ...OTHERS])
    await findings.that(`kill -9 of ${service}`, () => killed(stack, load, service));
  await findings.that('`down` and `up` again', () => downAndUp(stack, load));
  await findings.that(
    'nothing is lost; at most one page of an entity type comes twice for each interruption',
    () => load.settle(),
  );
}

async function up(stack: Stack): Promise<string> {
  const began = Date.now();
  stack.compose('up', '-d');
  const all = await stack.healthy();
  return `${all.size} containers after ${Math.round((Date.now() - began) / 1_000)} s`;
}

async function upgrade(stack: Stack, load: Load): Promise<string> {
  const before = stack.one('api').Config.Image;
  stack.takeTheNewImage();
  load.interrupted('the upgrade');
  stack.compose('up', '-d', 'worker');
  stack.compose('up', '-d');
  const all = await stack.healthy();
  for (const service of OURS)
    if (all.get(service)!.Config.Image === before) throw new Error(`${service} still runs ${before}`);
  await load.flows();
  return `from ${before} to ${all.get('api')!.Config.Image}`;
}

function withoutRights(stack: Stack): string {
  for (const service of OURS) {
    const { HostConfig } = stack.one(service);
    const status = stack.inside(service, 'cat', '/proc/1/status');
    const seen = {
      readOnly: HostConfig.ReadonlyRootfs,
      user: stack.inside(service, 'id', '-u').trim(),
      capabilities: /^CapEff:\s+(\S+)/m.exec(status)?.[1],
      noNewPrivileges: /^NoNewPrivs:\s+(\d)/m.exec(status)?.[1],
    };
    const expected = { readOnly: true, user: '1000', capabilities: '0'.repeat(16), noNewPrivileges: '1' };
    if (JSON.stringify(seen) !== JSON.stringify(expected))
      throw new Error(`${service}: ${JSON.stringify(seen)}`);
  }
  return 'read-only, no capability, no new privileges';
}

/** What a user may read of a collection, asked in mongosh by their own password. */
function mayRead(stack: Stack, user: string, collection: string): boolean {
  const uri = `mongodb://${user}:demo@mongodb:27017/gdx?authSource=gdx&replicaSet=rs0`;
  const ask = `try { db.${collection}.findOne(); print('yes') } catch (error) { print(error.codeName) }`;
  const said = stack.inside('mongodb', 'mongosh', '--quiet', uri, '--eval', ask).trim();
  if (!['yes', 'Unauthorized'].includes(said)) throw new Error(`${user}, ${collection}: ${said}`);
  return said === 'yes';
}

function ownUsers(stack: Stack): string {
  const expected: [user: string, collection: string, may: boolean][] = [
    ['gdx-api', 'sessions', true],
    ['gdx-api', 'erasures', false],
    ['gdx-worker', 'markers', true],
    ['gdx-worker', 'sessions', false],
    ['gdx-worker', 'operators', false],
  ];
  const wrong = expected.filter(([user, collection, may]) => mayRead(stack, user, collection) !== may);
  if (wrong.length > 0) throw new Error(`otherwise than said: ${JSON.stringify(wrong)}`);
  for (const service of OURS) {
    const environment = stack.inside(service, 'env');
    if (!environment.includes(`mongodb://gdx-${service}:`)) throw new Error(`${service} has another user`);
  }
  return `${expected.length} questions, each answered by the user's role`;
}

async function demo(stack: Stack): Promise<string> {
  stack.compose('--profile', 'demo', 'up', '-d', 'demo');
  await eventually(() => {
    const lines = stack.compose('--profile', 'demo', 'logs', '--no-color', 'demo');
    const silent = ENTITY_TYPES.filter((type) => !lines.includes(` 200 ${type} `));
    if (silent.length > 0) throw new Error(`no page of ${silent.join(', ')}: ${lines.slice(-500)}`);
  }, 300_000);
  stack.compose('--profile', 'demo', 'rm', '--stop', '--force', 'demo');
  return ENTITY_TYPES.join(', ');
}

async function killed(stack: Stack, load: Load, service: string): Promise<string> {
  const [{ Pid }, began] = [stack.one(service).State, Date.now()];
  load.interrupted(`${service} was killed`);
  process.kill(Pid, 'SIGKILL');
  await eventually(() => {
    if (stack.one(service).State.Pid === Pid) throw new Error(`${service} has not ended`);
  });
  await load.flows();
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  await stack.healthy();
  return `pushes and pages again after ${seconds} s`;
}

async function downAndUp(stack: Stack, load: Load): Promise<string> {
  load.interrupted('`down`');
  stack.compose('down');
  const came = await up(stack);
  await load.flows();
  return came;
}
