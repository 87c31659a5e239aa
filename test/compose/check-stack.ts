import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { Findings } from '../production/findings';
import { eventually } from '../setup/eventually';
import { Load } from './load';
import type { Stack } from './stack';

const OURS = ['api', 'worker'];
const OTHERS = ['mongodb', 'temporal', 'postgresql', 'temporal-ui'];

/** All that docs/deploy.md says of one host, in containers, while ERPs push and a customer is fed. */
export async function checkStack(stack: Stack, findings: Findings, upgradeAlone: boolean): Promise<void> {
  await findings.that('`up` with the image before ends with everything healthy', () => up(stack));
  if (!findings.allHold) return; // nothing else could hold
  const load = await Load.begin(stack);
  await findings.that('pushes arrive at the customer', () => load.flows());
  await findings.that('an upgrade to this image, as docs/deploy.md has it', () => upgrade(stack, load));
  if (!upgradeAlone) await killAll(stack, load, findings);
  await findings.that(
    'nothing is lost; a kill has at most one page of an entity type come twice, a stop none',
    () => load.settle(),
  );
}

async function killAll(stack: Stack, load: Load, findings: Findings): Promise<void> {
  await findings.that('API and worker have no rights, as the user 1000', () => withoutRights(stack));
  await findings.that('API and worker read what is theirs, and nothing else', () => ownUsers(stack));
  await findings.that('the demo profile’s pages arrive', () => demo(stack));
  for (const service of [...OURS, ...OTHERS])
    await findings.that(`kill -9 of ${service}`, () => killed(stack, load, service));
  await findings.that('`down` and `up` again', () => downAndUp(stack, load));
}

async function up(stack: Stack): Promise<string> {
  const began = Date.now();
  await stack.compose('up', '-d');
  const all = await stack.healthy();
  return `${all.size} containers after ${Math.round((Date.now() - began) / 1_000)} s`;
}

async function upgrade(stack: Stack, load: Load): Promise<string> {
  const before = (await stack.one('api')).Config.Image;
  stack.takeTheNewImage();
  load.interrupted('the upgrade', 0);
  await stack.compose('up', '-d', 'worker');
  await stack.compose('up', '-d');
  const all = await stack.healthy();
  for (const service of OURS)
    if (all.get(service)!.Config.Image === before) throw new Error(`${service} still runs ${before}`);
  await load.flows();
  return `from ${before} to ${all.get('api')!.Config.Image}`;
}

async function withoutRights(stack: Stack): Promise<string> {
  for (const service of OURS) {
    const { HostConfig } = await stack.one(service);
    const status = await stack.inside(service, 'cat', '/proc/1/status');
    const seen = {
      readOnly: HostConfig.ReadonlyRootfs,
      user: (await stack.inside(service, 'id', '-u')).trim(),
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
async function mayRead(stack: Stack, user: string, collection: string): Promise<boolean> {
  const uri = `mongodb://${user}:demo@mongodb:27017/gdx?authSource=gdx&replicaSet=rs0`;
  const ask = `try { db.${collection}.findOne(); print('yes') } catch (error) { print(error.codeName) }`;
  const said = (await stack.inside('mongodb', 'mongosh', '--quiet', uri, '--eval', ask)).trim();
  if (!['yes', 'Unauthorized'].includes(said)) throw new Error(`${user}, ${collection}: ${said}`);
  return said === 'yes';
}

async function ownUsers(stack: Stack): Promise<string> {
  const expected: [user: string, collection: string, may: boolean][] = [
    ['gdx-api', 'sessions', true],
    ['gdx-api', 'erasures', false],
    ['gdx-worker', 'markers', true],
    ['gdx-worker', 'sessions', false],
    ['gdx-worker', 'operators', false],
  ];
  const wrong = [];
  for (const [user, collection, may] of expected)
    if ((await mayRead(stack, user, collection)) !== may) wrong.push([user, collection]);
  if (wrong.length > 0) throw new Error(`otherwise than said: ${JSON.stringify(wrong)}`);
  for (const service of OURS) {
    const environment = await stack.inside(service, 'env');
    if (!environment.includes(`mongodb://gdx-${service}:`)) throw new Error(`${service} has another user`);
  }
  return `${expected.length} questions, each answered by the user's role`;
}

async function demo(stack: Stack): Promise<string> {
  await stack.compose('--profile', 'demo', 'up', '-d', 'demo');
  await eventually(async () => {
    const lines = await stack.compose('--profile', 'demo', 'logs', '--no-color', 'demo');
    const silent = ENTITY_TYPES.filter((type) => !lines.includes(` 200 ${type} `));
    if (silent.length > 0) throw new Error(`no page of ${silent.join(', ')}: ${lines.slice(-500)}`);
  }, 300_000);
  await stack.compose('--profile', 'demo', 'rm', '--stop', '--force', 'demo');
  return ENTITY_TYPES.join(', ');
}

async function killed(stack: Stack, load: Load, service: string): Promise<string> {
  const { Pid } = (await stack.one(service)).State;
  const began = Date.now();
  load.interrupted(`${service} was killed`, 1);
  process.kill(Pid, 'SIGKILL');
  await eventually(async () => {
    if ((await stack.one(service)).State.Pid === Pid) throw new Error(`${service} has not ended`);
  });
  await load.flows();
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  await stack.healthy();
  return `pushes and pages again after ${seconds} s`;
}

async function downAndUp(stack: Stack, load: Load): Promise<string> {
  load.interrupted('`down`', 0);
  await stack.compose('down');
  const came = await up(stack);
  await load.flows();
  return came;
}
