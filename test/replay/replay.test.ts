import { DeterminismViolationError } from '@temporalio/workflow';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HISTORIES, HISTORY_NAMES } from './histories';
import { readHistory, replay } from './replay';

// A channel's workflow runs for years: what it did under an earlier build, today's build must do again (docs/contract.md O13).

const kept = () => readdirSync(HISTORIES).map((file) => path.parse(file).name);

test('every workflow and every outcome has its recorded history, and there is no other', () => {
  expect(kept().sort()).toEqual([...HISTORY_NAMES].sort());
});

test('every recorded history replays on the current bundle', async () => {
  const histories = kept().map((name) => ({ workflowId: name, history: readHistory(name) }));
  expect(histories.length).toBeGreaterThan(0);
  const results = await replay(histories);
  expect([...results].filter(([, error]) => error)).toEqual([]);
  expect(results.size).toBe(histories.length);
});

test.each(['channelFeed.deliveries', 'feedDelivery.delivered', 'reconcileChannels'] as const)(
  'a tampered %s does not replay',
  async (name) => {
    const history = readHistory(name);
    const [scheduled] = history.events.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    scheduled!.activityType.name = 'somethingElse';
    const results = await replay([{ workflowId: name, history }]);
    expect(results.get(name)).toBeInstanceOf(DeterminismViolationError);
  },
);

test.each(HISTORY_NAMES)('%s does not tell who recorded it, or where', (name) => {
  const text = readFileSync(path.join(HISTORIES, `${name}.json`), 'utf8');
  expect(/"[^"]*(\/(home|work|root|tmp|Users)\/|\d+@)[^"]*"/.exec(text)?.[0]).toBeUndefined();
});
