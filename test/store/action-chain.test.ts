import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { createPostHeads } from '../../activities/post-heads';
import { erasedMarker, linkActions } from '../../store/consent/action-chain';
import { closeAction, eraseFromActions, openAction } from '../../store/callers/operator-actions';
import { verifyActions } from '../../store/consent/verify-actions';
import type { Store } from '../../store/store';
import { type Desk, startDesk } from '../cli/start-desk';
import { rewire } from '../commit-order/rewire';
import { temporaryFolder } from '../setup/temporary-folder';

const HOUR_MS = 3_600_000;
const folder = temporaryFolder('action-heads');

let desk: Desk;
let store: Store;
beforeEach(async () => {
  desk = await startDesk();
  store = desk.store;
});

const actions = () => store.db.collection<{ _id: string; at: Date }>('operator_actions');
const links = () => store.db.collection<{ _id: number; of: string }>('action_links');
const after = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

const common = {
  channel: 'acme',
  action: 'pause',
  about: '',
  before: {},
  by: 'maria',
  request_id: 'r',
} as const;
const open = (_id: string, rest: { reason?: string; expires_at?: Date; via?: '/customer' } = {}) =>
  openAction(store, { ...common, via: 'gdx', reason: null, _id, ...rest });

async function done(...ids: string[]): Promise<void> {
  for (const _id of ids) {
    await open(_id);
    await closeAction(store, { _id, channel: 'acme' }, 'Paused.');
  }
}

async function post(hours: number): Promise<string[]> {
  const heads: string[] = [];
  const log = pino({}, { write: (line) => void heads.push(...JSON.parse(line).heads) });
  await createPostHeads({ store, log })([], after(hours));
  return heads;
}

const verify = async (text?: string) => {
  const file = path.join(folder, 'heads.log');
  if (text !== undefined) writeFileSync(file, text);
  const run = await desk.gdx([
    'actions',
    'verify',
    '--json',
    ...(text === undefined ? [] : ['--heads', file]),
  ]);
  return {
    exitCode: run.exitCode,
    ...(run.json() as { broken: { id: string; why: string }[]; late: string[] }),
  };
};
const named = async (text?: string) => (await verify(text)).broken.map(({ id, why }) => `${id} ${why}`);

test('what was changed, removed or inserted later is named, each; what customers did expires and is not linked', async () => {
  await done('a', 'b', 'c');
  await open('d', { via: '/customer', expires_at: after(24) });
  await linkActions(store, new Date());
  expect(await verify()).toMatchObject({
    exitCode: 0,
    holds: true,
    links: 6,
    unlinked: 0,
    broken: [],
    late: [],
  });
  await actions().updateOne({ _id: 'a' }, { $set: { by: 'nobody' } });
  await actions().updateOne({ _id: 'b/outcome' }, { $set: { outcome: 'Not done.' } });
  await actions().deleteOne({ _id: 'c' });
  await actions().deleteOne({ _id: 'd' });
  await actions().insertOne({ _id: 'z', at: after(-2), ...common } as never);
  await open('new');
  const found = await verify();
  expect(found.broken).toEqual(
    expect.arrayContaining([
      { id: 'a', why: 'it was changed' },
      { id: 'b/outcome', why: 'it was changed' },
      { id: 'c', why: expect.stringMatching(/^it is missing: link \d names it$/) },
      { id: 'z', why: 'it is not in the chain: it was inserted later' },
    ]),
  );
  expect(found).toMatchObject({ exitCode: 1, broken: { length: 4 }, unlinked: 1 });
  await linkActions(store, after(1)); // nobody lets the worker link what it did not see in time
  expect((await verify()).broken).toHaveLength(4);
});

test('an action that is dated before the worker last looked is named as late', async () => {
  await done('a');
  await linkActions(store, after(-48));
  await actions().insertOne({ _id: 'z', at: after(-5), ...common } as never);
  await linkActions(store, new Date());
  expect(await verify()).toMatchObject({ exitCode: 0, late: ['z'] });
});

test('a link that was changed, or an end that was cut off with its actions, shows against the head', async () => {
  await done('a', 'b');
  await linkActions(store, new Date());
  const [head] = await post(0);
  expect(head).toMatch(/^actions:4:[0-9a-f]{64}$/);
  expect(await post(0.5)).toEqual([]);
  expect(await post(25)).toEqual([head]);
  expect(await verify(`... ["${head}"]`)).toMatchObject({ exitCode: 0, links: 4 });
  await links().deleteMany({ _id: { $gt: 2 } });
  await actions().deleteMany({ _id: /^b/ });
  expect(await named()).toEqual([]);
  expect(await named(head)).toEqual(['link 3 it is missing, and 4 was posted as head: the end was cut off']);
  await done('c');
  await linkActions(store, new Date());
  expect(await named(head)).toEqual(['link 4 it is not the one that was posted as head']);
  await links().updateOne({ _id: 1 }, { $set: { of: 'x' } });
  expect(await named()).toEqual(
    expect.arrayContaining(['link 1 it was changed', 'x it is missing: link 1 names it']),
  );
  const nothing = path.join(folder, 'nothing.log');
  writeFileSync(nothing, 'acme/1:0');
  expect((await desk.gdx(['actions', 'verify', '--heads', nothing])).exitCode).toBe(2);
});

test('a farmer who is erased breaks nothing, and nobody else can say that they were', async () => {
  await open('a', { reason: '701-555-0142 called' });
  await closeAction(store, { _id: 'a', channel: 'acme' }, '701-555-0142 it was.');
  await linkActions(store, new Date());
  await eraseFromActions(store, [], '7015550142', await erasedMarker(store));
  const [action, outcome] = await actions().find().sort({ _id: 1 }).toArray();
  expect([action, outcome]).toMatchObject([{ reason: '[erased] called' }, { outcome: '[erased] it was.' }]);
  expect(await named()).toEqual([]);
  await actions().updateOne({ _id: 'a' }, { $set: { reason: '[erased] asked' } });
  expect(await named()).toEqual(['a it was changed']);
});

test('two workers at once link each action once', async () => {
  await done('a', 'b');
  let second: Promise<void> | undefined;
  const slow = rewire(store, async ({ collection, method, run }) => {
    if (collection === 'action_links' && method === 'insertMany')
      await (second ??= linkActions(store, new Date()));
    return run();
  });
  await linkActions(slow, new Date());
  expect(await verifyActions(store, new Map())).toMatchObject({ links: 4, broken: [], unlinked: 0 });
});
