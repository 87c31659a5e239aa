import { coalesce } from '../../temporal/coalesce';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** What was sent, merged with a plus. */
function sender() {
  const sent: string[] = [];
  const { signal } = coalesce<string>(
    async (slug, arg) => sent.push(`${slug} ${arg}`) > 0,
    (one, later) => `${one}+${later}`,
  );
  return { sent, signal: (slug: string, arg: string) => void signal(slug, arg) };
}

test('after a merged signal the next one waits a second too; after a second without any it goes at once', async () => {
  const { sent, signal } = sender();
  for (const arg of ['a', 'b', 'c']) signal('acme', arg);
  expect(sent).toEqual(['acme a']);
  await jest.advanceTimersByTimeAsync(1_000);
  signal('acme', 'd');
  await jest.advanceTimersByTimeAsync(999);
  expect(sent).toEqual(['acme a', 'acme b+c']);
  await jest.advanceTimersByTimeAsync(1);
  expect(sent.slice(2)).toEqual(['acme d']);
  await jest.advanceTimersByTimeAsync(1_000);
  signal('acme', 'e');
  expect(sent.slice(3)).toEqual(['acme e']);
});

test('a channel waits for no other', async () => {
  const { sent, signal } = sender();
  for (const slug of ['acme', 'acme', 'bison', 'bison']) signal(slug, 'a');
  expect(sent).toEqual(['acme a', 'bison a']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(sent.slice(2)).toEqual(['acme a', 'bison a']);
});
