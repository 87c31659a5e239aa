import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Document } from 'mongodb';
import { readCeiling } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { expectAllowed, type Rule, unless, watchHalf } from '../commit-order/both-halves';
import { type Call } from '../commit-order/rewire';
import { closingAfter } from '../setup/close-at-end';
import { pushRecords } from '../setup/push-records';
import { openSharedScene, type SharedScene } from '../sharing/open-shared-scene';
import { inserting, isLiningUp } from '../sharing/share-calls';
import {
  withoutEpoch,
  withoutNewEpoch,
  laying,
  moveTo,
  named,
  ofAnyPage,
  inAnyEpoch,
  endingAny,
  upToTheLeast,
  fromTheMarker,
  fromEverywhere,
} from './left-out';
import { type PullScene, withPullScene } from './pull-scene';

// Every mutant of the models that no schedule of the interleavings leaves out in the code: the models allow the run of the
// code as it is, and not the one without the rule.

const PULLED: [
  mutant: string,
  rule: string,
  play: (scene: PullScene, through: Through) => Promise<unknown>,
][] = [
  [
    'PULL LATE_CEILING',
    'LATE_CEILING',
    async (scene, through) => {
      const late = laying(async (set) => {
        await scene.push('T2');
        return moveTo(set, await readCeiling(scene.store, 'tickets'));
      });
      await scene.lay(['T1'], through(late));
      await scene.confirm(await scene.collect());
    },
  ],
  [
    'PULL NO_FENCE',
    'NO_FENCE',
    async (scene, through) => {
      await scene.lay(['T1']);
      const page = await scene.collect();
      await scene.reset();
      await scene.confirm(page, through(withoutEpoch));
    },
  ],
  [
    'PULL SKIP_RESET_FENCE',
    'SKIP_RESET_FENCE',
    async (scene, through) => {
      await scene.lay(['T1']);
      const page = await scene.collect();
      await scene.reset(through(withoutNewEpoch));
      await scene.confirm(page);
    },
  ],
  [
    'PULL CONFIRM_ANY',
    'CONFIRM_ANY',
    async (scene, through) => {
      await scene.lay(['T1']);
      const page = await scene.collect();
      await scene.reset();
      await scene.lay(['T1']);
      await scene.confirm(page, through(ofAnyPage));
    },
  ],
  [
    'PULL SAME_ID',
    'SAME_ID',
    async (scene, through) => {
      const same = through(laying(async (set) => named(set, 'msg_same')));
      await scene.lay(['T1'], same);
      const page = await scene.collect();
      await scene.reset();
      await scene.lay(['T1'], same);
      await scene.confirm(page);
    },
  ],
  [
    'PULL GIVEN_IN_ANY_EPOCH',
    'GIVEN_IN_ANY_EPOCH',
    async (scene, through) => {
      await scene.lay(['T1']);
      await scene.overtake();
      await scene.collect(through(inAnyEpoch));
    },
  ],
  [
    'GIVEN_BACK_LATE',
    'GIVEN_BACK_LATE',
    async (scene, through) => {
      let late = async (): Promise<unknown> => undefined;
      const outside = through(async (call) => {
        const [filter, update] = call.args as [Document, Document];
        if (call.collection !== 'counters' || !(update?.['$inc']?.position < 0)) return call.run();
        late = () => call.run([filter, update]);
        return { matchedCount: 1 };
      });
      const ticket = (id: string) => ({ id, account_id: '1001', note: 'the same' });
      await pushRecords(scene.store, { tickets: [ticket('T1')] });
      await pushRecords(outside, { tickets: [ticket('T1'), ticket('T2')] });
      await late();
      await scene.lay([]);
    },
  ],
];

/** The catch-up ends where the counter was, and not at the marker. */
async function endsAtTheCounter(scene: SharedScene, through: Through): Promise<void> {
  await scene.pushTickets({ 'T-1': ['1001'] });
  await scene.run();
  await scene.pushTickets({ 'T-2': ['1001'] });
  const until = await readCeiling(scene.store, 'tickets');
  await scene.grant('1001');
  await scene.run(
    through((call) => (isLiningUp(call) ? inserting(call, (one) => ({ ...one, until })) : call.run())),
  );
}

/** Two accounts whose catch-ups end at 2 and at 4. */
async function beginTwo(scene: SharedScene): Promise<void> {
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
  await scene.run();
  await scene.grant('1001');
  await scene.plan();
  await scene.pushTickets({ 'T-3': ['1003'], 'T-4': ['1002'] });
  await scene.plan();
  await scene.grant('1002');
}

const SHARED: [
  mutant: string,
  rule: string,
  play: (scene: SharedScene, through: Through) => Promise<unknown>,
][] = [
  ['GRANT_REVERSED', 'END_BEFORE', endsAtTheCounter],
  ['EARLY', 'END_BEFORE', endsAtTheCounter],
  [
    'ENDS_BY_THE_FIRST',
    'NO_GENERATION',
    async (scene, through) => {
      await beginTwo(scene);
      await scene.run(through(endingAny((index) => index > 0)));
    },
  ],
  [
    'ENDS_PENDING',
    'NO_GENERATION',
    async (scene, through) => {
      await beginTwo(scene);
      await scene.run(through(endingAny(() => true)));
    },
  ],
  [
    'LEAST_END',
    'LEAST_END',
    async (scene, through) => {
      await beginTwo(scene);
      await scene.run(through(upToTheLeast));
    },
  ],
  [
    'FROM_MARKER',
    'FROM_MARKER',
    async (scene, through) => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await scene.grantNew('1001');
      await scene.run(through(fromTheMarker));
    },
  ],
  [
    'FROM_EVERYWHERE',
    'FROM_EVERYWHERE',
    async (scene, through) => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.grantNew('1001');
      await scene.pushTickets({ 'T-2': ['1001'] });
      await scene.run();
      await scene.reset();
      await scene.run(through(fromEverywhere));
    },
  ],
];

/** The store, without a rule in the half that leaves it out. */
type Through = (mutant: (call: Call) => Promise<unknown>) => Store;

async function playBoth<T extends Pick<SharedScene, 'store' | 'customer'>>(
  withScene: (use: (scene: T) => Promise<void>) => Promise<void>,
  mutant: string,
  play: (scene: T, through: Through) => Promise<unknown>,
): Promise<void> {
  for (const rule of ['kept', 'left out'] satisfies Rule[])
    await withScene(async (scene) => {
      const through: Through = (leftOut) => unless(rule, scene.store, leftOut);
      const { broken } = await watchHalf(scene, () => play(scene, through));
      expectAllowed(rule, broken, mutant);
    });
}

test.each(PULLED)('the models allow the code, and not %s (%s)', (_, rule, play) =>
  playBoth(withPullScene, rule, play),
);

test.each(SHARED)('the models allow the code, and not %s (%s)', (_, rule, play) =>
  playBoth((use) => closingAfter(async () => use(await openSharedScene(10))), rule, play),
);

// What is played, and not which rule is left out.
const SETTINGS = new Set(['RESET', 'GRANT', 'GIVES_BACK', 'REGRANT', 'AS_BUILT', 'ONLY_NEW', 'PULL']);

test('every mutant of check.sh has a run of the code that is rejected', () => {
  const script = readFileSync(path.join(__dirname, 'check.sh'), 'utf8');
  const lists = [...script.matchAll(/mutants=\(([^)]*)\)/g)].map(([, list]) => list!);
  const mutants = lists
    .flatMap((list) => [...list.matchAll(/"([^"]*)"/g)])
    .flatMap(([, options]) => {
      const names = [...options!.matchAll(/-D([A-Z_]+)(?![A-Z_=])/g)].map(([, name]) => name!);
      const isPull = names.includes('PULL');
      return names.filter((name) => !SETTINGS.has(name)).map((name) => (isPull ? `PULL ${name}` : name));
    });
  const files = ['commit-order/interleavings', 'sharing/interleavings', 'sharing/only-new'];
  const texts = files.map((file) => readFileSync(path.join(__dirname, '..', `${file}.test.ts`), 'utf8'));
  const scheduled = texts.flatMap((text) =>
    [...text.matchAll(/mutant: '([A-Z_]+)'/g)].map(([, name]) => name!),
  );
  const played = new Set([...scheduled, ...[...PULLED, ...SHARED].map(([name]) => name)]);
  expect(mutants.length).toBeGreaterThan(20);
  expect([...new Set(mutants)].filter((name) => !played.has(name))).toEqual([]);
});
