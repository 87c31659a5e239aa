import { listActions, type OperatorAction } from '../../store/callers/operator-actions';
import { setAside } from '../../store/deliveries/set-aside';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { startDesk } from '../cli/start-desk';

test('what gdx does to a channel is kept beside what /ops does', async () => {
  const desk = await startDesk();
  const slug = 'kept-by-gdx';
  await addTestChannel(desk.store, slug, 'https://acme.example');
  await desk.pushTickets(3);
  await setAside(desk.store, {
    channel: slug,
    entity_type: 'tickets',
    record: '42-1',
    position: 1,
    failure: 'refused',
    status: 422,
    answer: 'no',
    delivery: 'delivery/x',
  });
  const reset = ['marker', 'reset', slug, 'tickets', '--timestamp', '2026-01-01T00:00:00Z'];
  for (const verb of [
    ['channel', 'pause', slug, '--reason', 'Their maintenance'],
    ['channel', 'resume', slug],
    ['channel', 'deliver', slug, '--reason', 'On the phone'],
    [...reset, '--dry-run'],
    [...reset, '--reason', 'Their backup'],
    ['set-aside', 'release', slug, '--all'],
  ]) {
    // What could not be told to Temporal in 2 s has not been done.
    await eventually(async () => expect(await desk.gdx(verb)).toMatchObject({ exitCode: 0 }));
  }
  // Asked for and not told, it is kept too.
  const isTold = ({ action, outcome }: OperatorAction) => action !== 'deliver' || outcome === 'It runs now.';
  const kept = (await listActions(desk.store, slug, 20)).filter(isTold).reverse();
  await desk.close([slug]);
  expect(kept.map(({ action, reason }) => [action, reason])).toEqual([
    ['pause', 'Their maintenance'],
    ['resume', null],
    ['deliver', 'On the phone'],
    ['reset', 'Their backup'],
    ['release', null],
  ]);
  expect(kept[3]).toMatchObject({
    about: 'tickets from 2026-01-01T00:00:00.000Z',
    outcome: 'Resends 3 tickets, about 1 page.',
    via: 'gdx',
  });
  expect(kept.every(({ by, outcome }) => by.length > 0 && outcome !== null)).toBe(true);
});
