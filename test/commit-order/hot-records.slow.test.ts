import { withScene } from './scene';

// A record that changes during a run moves to the next one (docs/contract.md C5). One that changes during all of them is
// delivered all the same (docs/decisions/0013).

const held = (pages: { records: { remote_id: string }[] }[]) =>
  pages.map(({ records }) => records.map(({ remote_id }) => remote_id));

test('a record that alone changes between every plan and its delivery is delivered in each run', () =>
  withScene(10, async (scene) => {
    for (let run = 1; run <= 3; run++) {
      await scene.push('HOT');
      const [input] = await scene.plan();
      await scene.push('HOT');
      await scene.attempt(input!);
      expect(held(scene.customer.pages)).toHaveLength(run);
    }
  }));

test('among others it moves to the next run, which takes it along; the run ends', () =>
  withScene(10, async (scene) => {
    const seen: string[][][] = [];
    for (let run = 1; run <= 3; run++) {
      await scene.push('HOT', `COLD-${run}`);
      const [input] = await scene.plan();
      await scene.push('HOT');
      const before = scene.customer.pages.length;
      await scene.attempt(input!);
      seen.push(held(scene.customer.pages.slice(before)));
    }
    expect(seen).toEqual([[['COLD-1']], [['COLD-2', 'HOT']], [['COLD-3', 'HOT']]]);
  }));
