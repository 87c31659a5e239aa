import type { Browser } from 'playwright-core';
import { listActions } from '../../store/callers/operator-actions';
import { findChannel } from '../../store/channels/channels';
import { readMarkers } from '../../store/markers/markers';
import { listSetAside } from '../../store/deliveries/set-aside';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { hearingSignals } from '../api/start-api';
import { startOps } from '../ops/start-ops';
import { expectAccessible } from '../setup/expect-accessible';
import { emptyStore } from '../setup/open-store';
import { startWorker } from '../setup/start-worker';
import { walkCustomer } from './walk-customer';
import { nightlyTest } from '../setup/cases';

let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

test('the nine tasks of a customer, without JavaScript', async () => {
  const store = await emptyStore();
  const worker = await startWorker(store);
  const { testEndpoint } = worker.temporal;
  const ops = await startOps({ store, temporal: { ...hearingSignals().temporal, testEndpoint } });
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${ops.port}`,
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  const seen = new Map<string, string>();
  await walkCustomer(page, ops, async (state) => {
    seen.set(state, await page.locator('body').innerText());
    if (state !== '1-channel') return;
    const high = await page
      .locator('.actions > *')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height)));
    expect([high.length > 3, new Set(high).size]).toEqual([true, 1]); // all stand in one row of the same
  });
  expect(seen.get('1-channel')).toMatch(/tickets[^]*83[^]*42-T-17[^]*unknown crop/);
  expect(seen.get('2-reset')).toMatch(/This would resend 120 tickets/);
  expect(seen.get('2-reset-done')).toMatch(/Done\. Reset a marker: tickets/);
  expect(seen.get('3-released')).toMatch(/Done\. Released records: 1 account/);
  expect(seen.get('6-tested')).toMatch(
    /Posted a test page\. Acme Crop Insurance .* after \d+ ms\. Of a real page: /,
  );
  expect(seen.get('7-account-resent')).toMatch(
    /Sent records again: tickets of 42-1001\. Resends \d+ tickets/,
  );
  expect(seen.get('8-address-error')).toContain('The address points to 10.0.0.1, a private address');
  expect(seen.get('8-address-set')).toMatch(
    /Set the notification address[^]*within some minutes[^]*https:\/\/acme\.example\/hooks\/gdx/,
  );
  expect(seen.get('4-rotated')).toMatch(/whsec_/);
  expect(seen.get('9-link-made')).toMatch(/Send this link to the farmer[^]*signature=/);
  expect(seen.get('5-failed-deliveries')).toMatch(/answered 503[^]*maintenance/);
  expect(seen.get('0-session-over')).toContain('API key of your channel');

  const acme = (await findChannel(ops.store, 'acme'))!;
  expect([acme.signing_secrets.length, (await readMarkers(ops.store, 'acme')).get('tickets')!.position]).toEqual([2, 0]); // prettier-ignore
  expect(await listSetAside(ops.store, 'acme', { released: true })).toMatchObject([
    { record: '42-1003' },
    { record: '42-T-17' },
  ]);
  const done = await listActions(ops.store, 'acme', 9);
  expect(done.map(({ action, via }) => [action, via])).toEqual([
    ['channel link', '/customer'],
    ['channel rotate-secret', '/customer'],
    ['channel set', '/customer'],
    ['resend', '/customer'],
    ['resend', '/customer'],
    ['test', '/customer'],
    ['release', '/customer'],
    ['reset', '/customer'],
  ]);
  await context.close();
});

const SIZES = [
  ['320 px', { width: 320, height: 640 }],
  ['a desk', { width: 1000, height: 700 }],
] as const;

nightlyTest.each(SIZES)(
  'axe finds nothing on the customer’s page, and it does not scroll sideways, at %s',
  async (_, viewport) => {
    const ops = await startOps();
    const context = await browser.newContext({ baseURL: `http://127.0.0.1:${ops.port}`, viewport });
    const page = await context.newPage();
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:\d+\/customer|data:)/.test(request.url())) foreign.push(request.url());
    });
    const states: string[] = [];
    await walkCustomer(page, ops, async (state) => {
      states.push(state);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([state, wide]).toEqual([state, 0]);
      expect([state, (await page.title()).startsWith('Error: ')]).toEqual([state, state.endsWith('-error')]);
      await expectAccessible(page, state);
    });
    expect([new Set(states).size, foreign]).toEqual([21, []]);
    await context.close();
  },
  240_000,
);
