import { Turns } from './turns';

test('one that holds what another tries to take again and again comes to its turn', async () => {
  // Of two, each of these is the one that has waited less.
  const turns = new Turns([
    { who: 1, steps: 3 },
    { who: 3, steps: 20 },
  ]);
  let isHeld = true;
  let tries = 0;
  await turns.play({
    holder: async () => {
      for (let step = 0; step < 3; step++) await turns.step('holder');
      isHeld = false;
    },
    waiter: async () => {
      do await turns.step('waiter');
      while (isHeld && ++tries < 10_000);
    },
  });
  expect(tries).toBeLessThan(1_000);
});
