import { createIntegrationFinder } from '../../api/kept-integrations';
import { addIntegration, revokeToken } from '../../store/access/integrations';
import { emptyStore } from '../setup/open-store';

test('what a token opens is looked up again after three seconds, however often it is used meanwhile', async () => {
  const store = await emptyStore();
  const company = { id: '42', name: 'Prairie Co-op' };
  const [one, other] = [
    await addIntegration(store, { name: 'agris', company }),
    await addIntegration(store, { name: 'second', company }),
  ];
  const find = createIntegrationFinder(store);
  const began = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(began);
  try {
    const opens = async (ms: number, { token }: { token: string } = one) => {
      clock.mockReturnValue(began + ms);
      return (await find(token))?.name;
    };
    expect([await opens(0), await opens(1_000, other)]).toEqual(['agris', 'second']);
    await revokeToken(store, one.integration._id, 'all');
    expect([await opens(1_500), await opens(2_900), await opens(3_001)]).toEqual([
      'agris',
      'agris',
      undefined,
    ]);
    expect(await opens(3_002, other)).toBe('second');
  } finally {
    clock.mockRestore();
  }
});
