import { setAside } from '../../store/feed/set-aside';
import { addTestChannel } from '../setup/add-test-channel';
import { startDesk, type Desk } from './start-desk';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
  await addTestChannel(desk.store, 'acme', 'http://127.0.0.1:9');
  const refused = {
    channel: 'acme',
    position: 1,
    failure: 'refused',
    status: 422,
    answer: 'no',
    delivery: 'd',
  } as const;
  for (const entity_type of ['contracts', 'tickets'] as const)
    for (const record of ['42-1', '42-2']) await setAside(desk.store, { ...refused, entity_type, record });
});
afterAll(() => desk.close(['acme']));

const release = async (...args: string[]) =>
  (await desk.gdx(['set-aside', 'release', 'acme', ...args, '--json'])).json();

async function released(): Promise<string[]> {
  const { data } = (await desk.gdx(['set-aside', 'acme', '--json'])).json();
  const those = data.filter((one: { released_at: string | null }) => one.released_at !== null);
  return those.map((one: { entity_type: string; record: string }) => `${one.entity_type} ${one.record}`);
}

test('without a name, or with an empty one, nothing is released', async () => {
  const ends = async (...args: string[]) =>
    (await desk.gdx(['set-aside', 'release', 'acme', ...args, '--json'])).exitCode;
  expect([await ends(), await ends('--entity', 'tickets')]).toEqual([2, 2]);
  expect([await ends(''), await ends('', '--entity', 'tickets')]).toEqual([1, 1]);
  expect(await released()).toEqual([]);
});

test('what is named is released, of the type that is named, and nothing else', async () => {
  expect(await release('42-2', '--entity', 'tickets')).toEqual({ released: 1 });
  expect(await released()).toEqual(['tickets 42-2']);
  expect(await release('42-1')).toEqual({ released: 2 });
  expect(await released()).toEqual(['contracts 42-1', 'tickets 42-1', 'tickets 42-2']);
  await release('--all');
  expect(await released()).toHaveLength(4);
});
