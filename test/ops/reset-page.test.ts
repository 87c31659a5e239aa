import { renderToString } from 'preact-render-to-string';
import { OPERATORS_DOOR } from '../../api/ops/operators-door';
import { resetPage } from '../../api/pages/channel/views/reset-page';
import type { Resent } from '../../domain/resent';
import { findChannel } from '../../store/feed/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

async function previewOf(resent: Resent): Promise<string> {
  const store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example');
  const channel = (await findChannel(store, 'acme'))!;
  const context = {
    service: 'Grain',
    door: OPERATORS_DOOR,
    who: 'Maria',
    mayAct: true,
    csrf: 'x',
    now: new Date(),
  };
  const asked = { entityType: 'tickets', timestamp: new Date(0), dryRun: false } as const;
  return renderToString(resetPage({ context, channel, asked, resent, error: undefined }));
}

test('a reset of more than can be counted in time has its button, one of nothing has none', async () => {
  const large = await previewOf({ records: null, pages: null, at_least: 120_000 });
  expect(large).toContain('at least 120,000 tickets');
  expect(large).toContain('Reset and resend');
  expect(await previewOf({ records: 0, pages: 0 })).not.toContain('Reset and resend');
});
