import { notePlan } from '../../activities/note-plan';
import type { EntityType } from '../../domain/entity-types';
import { listAlerts, raiseAlert } from '../../store/feed/alerts';
import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

const SUBJECTS = ['accounts', 'tickets', 'tickets catch-up'];

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example');
  for (const subject of SUBJECTS) {
    const alert = { channel: 'acme', class: 'unavailable', subject, message: 'answered 503' } as const;
    await raiseAlert(store, alert, new Date());
  }
});

/** Which subjects are alerted to still, after a plan of these types that has found nothing to send. */
async function leftBy(planned: EntityType[]): Promise<(string | undefined)[]> {
  await notePlan(store, (await findChannel(store, 'acme'))!, { planned, windows: [] });
  const open = await listAlerts(store);
  return open.flatMap(({ subjects }) => subjects).sort();
}

test('a type that was not planned, as it is being delivered or held back, may still fail: its alert stays', async () => {
  expect(await leftBy(['accounts', 'contracts', 'settlements'])).toEqual(['tickets', 'tickets catch-up']);
});

test('a plan of all types that finds nothing to send resolves what failed', async () => {
  expect(await leftBy(['accounts', 'contracts', 'tickets', 'settlements'])).toEqual([]);
});
