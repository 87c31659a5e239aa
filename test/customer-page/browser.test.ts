import type { Browser } from 'playwright-core';
import { listActions } from '../../store/access/operator-actions';
import { findChannel } from '../../store/feed/channels';
import { readMarkers } from '../../store/feed/markers';
import { listSetAside } from '../../store/feed/set-aside';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startOps } from '../ops/start-ops';
import { walkCustomer } from './walk-customer';

let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

test('a customer sees markers, failures and refused records, resets, releases and rotates, without JavaScript', async () => {
  const ops = await startOps();
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${ops.port}`,
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  const seen = new Map<string, string>();
  await walkCustomer(
    page,
    ops,
    async (state) => void seen.set(state, await page.locator('body').innerText()),
  );
  expect(seen.get('1-channel')).toMatch(/tickets[^]*83[^]*42-T-17[^]*unknown crop/);
  expect(seen.get('2-reset')).toMatch(/This would resend 120 tickets/);
  expect(seen.get('2-reset-done')).toMatch(/Done\. Reset a marker: tickets/);
  expect(seen.get('3-released')).toMatch(/Done\. Released records: 1 account/);
  expect(seen.get('4-rotated')).toMatch(/whsec_/);
  expect(seen.get('5-failed-deliveries')).toMatch(/answered 503[^]*maintenance/);
  expect(seen.get('0-session-over')).toContain('API key of your channel');

  const acme = (await findChannel(ops.store, 'acme'))!;
  expect([acme.signing_secrets.length, (await readMarkers(ops.store, 'acme')).get('tickets')!.position]).toEqual([2, 0]); // prettier-ignore
  expect(await listSetAside(ops.store, 'acme', { released: true })).toMatchObject([{ record: '42-1003' }]);
  const done = await listActions(ops.store, 'acme', 9);
  expect(done.map(({ action, via }) => [action, via])).toEqual([
    ['channel rotate-secret', '/customer'],
    ['release', '/customer'],
    ['reset', '/customer'],
  ]);
  await context.close();
  await ops.stop();
});
