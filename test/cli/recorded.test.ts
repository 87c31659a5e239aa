import type { ChildProcess } from 'node:child_process';
import type { Channel } from '../../store/feed/channels';
import { eventually } from '../setup/eventually';
import { openCliScene, type CliScene } from './open-cli-scene';

// What each command records is in commands.test.ts.

let scene: CliScene;
beforeAll(async () => {
  scene = await openCliScene();
});
afterAll(() => scene.close());

test('a change that is killed between its record and its act stays recorded, without an outcome', async () => {
  const slug = await scene.addChannel();
  const session = scene.store.client.startSession();
  session.startTransaction();
  // The act waits for this lock; the record does not.
  const channels = scene.store.db.collection<Channel>('channels');
  await channels.updateOne({ _id: slug }, { $set: { contact: 'x' } }, { session });
  let killed: ChildProcess;
  const run = scene.gdxProcess(
    ['channel', 'rotate-key', slug, '--reason', 'killed'],
    {},
    (child) => (killed = child),
  );
  await eventually(async () => expect(await scene.recorded('killed')).toHaveLength(1));
  killed!.kill('SIGKILL');
  await run;
  await session.abortTransaction();
  await session.endSession();
  expect(await scene.recorded('killed')).toMatchObject([
    { action: 'channel rotate-key', channel: slug, outcome: null },
  ]);
});

test('a change that is refused is recorded as not done', async () => {
  const slug = await scene.addChannel();
  const rotate = ['channel', 'rotate-key', slug];
  expect(await scene.gdx(rotate)).toMatchObject({ exitCode: 0 });
  expect(await scene.gdx([...rotate, '--reason', 'once more'])).toMatchObject({ exitCode: 1 });
  expect(await scene.recorded('once more')).toMatchObject([
    { before: { api_keys: 2 }, outcome: expect.stringMatching(/^Not done: two tokens live already/) },
  ]);
});

test('no value of a secret is recorded', async () => {
  const slug = await scene.addChannel();
  const authorize = ['channel', 'set', slug, '--authorization'];
  await scene.gdx([...authorize, 'first-secret-value']);
  await scene.gdx([...authorize, 'second-secret-value', '--reason', 'theirs is new']);
  await scene.gdx(['channel', 'rotate-secret', slug]);
  expect(await scene.recorded('theirs is new')).toMatchObject([{ before: { authorization: true } }]);
  const kept = await scene.store.db.collection('operator_actions').find().toArray();
  expect(JSON.stringify(kept)).not.toMatch(/secret-value|whsec_|gdx_channel_/);
});

test('a dry run says what would be done, and changes and records nothing', async () => {
  const counters = scene.store.db.collection<{ _id: string }>('counters');
  await counters.updateOne({ _id: 'tickets' }, { $set: { position: 1 } });
  await scene.store.db.dropCollection('token_uses');
  const before = await scene.fingerprint();
  const repair = await scene.gdx(['repair', 'counters', '--dry-run']);
  expect(repair.stdout).toMatch(/^1 counters are behind; without --dry-run they are raised$/m);
  const migrate = await scene.gdx(['migrate', '--dry-run']);
  expect(migrate.stdout).toMatch(/^would apply collections and indexes\n  collection token_uses$/m);
  expect(await scene.fingerprint()).toBe(before);
});
