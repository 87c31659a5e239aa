import type { Page } from 'playwright-core';
import { addChannel } from '../../store/channels/channels';
import { onceLoaded } from './once-loaded';
import { plantScene } from './plant-scene';
import type { Ops } from './start-ops';

type Look = (state: string) => Promise<void>;

/** Every page of the operators and every state of it, as a browser shows it. */
export async function walkOps(page: Page, ops: Ops, see: Look): Promise<void> {
  const look = onceLoaded(page, see);
  await signIn(page, ops, look);
  await look('1-channels-none');
  await plantScene(ops.store);
  await page.goto('/ops');
  await look('1-channels');
  await page.getByRole('link', { name: 'Acme Crop Insurance' }).click();
  await look('2-channel-failing');
  await reset(page, look);
  await pauseAndResume(page, look);
  await lookBeside(page, look);
  await page.goto('/ops');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto('/ops/channels/acme');
  await look('0-session-over');
}

async function signIn(page: Page, ops: Ops, look: Look): Promise<void> {
  await page.goto('/ops/sign-in');
  await look('0-sign-in');
  await page.getByLabel('Operator’s token').fill('gdx_operator_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await look('0-sign-in-error');
  await page.getByLabel('Operator’s token').fill(ops.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function reset(page: Page, look: Look): Promise<void> {
  const ask = async (time: string) => {
    await page.goto('/ops/channels/acme');
    await page.getByText('Reset a marker', { exact: true }).first().click();
    await page.locator('#reset-entity-type').selectOption('tickets');
    await page.getByLabel('Changed at or after (UTC)').fill(time);
    await page.getByRole('button', { name: 'See what would be resent' }).click();
  };
  await ask('2015-01-01T00:00:00');
  await look('3-reset-error');
  await ask(new Date(Date.now() + 2 * 60_000).toISOString().slice(0, 19));
  await look('3-reset-nothing');
  await ask('2026-01-01T00:00:00');
  await look('3-reset');
  await page.getByLabel('Reason, for whoever looks next').fill(' ');
  await page.getByRole('button', { name: 'Reset and resend' }).click();
  await look('3-reset-reason-error');
  await page.getByLabel('Reason, for whoever looks next').fill('They restored a backup of yesterday');
  await page.getByRole('button', { name: 'Reset and resend' }).click();
  await look('3-reset-done');
}

async function pauseAndResume(page: Page, look: Look): Promise<void> {
  const act = async (verb: string, reason: string) => {
    const details = page.locator('details', { has: page.locator(`form[action$="/${verb}"]`) });
    if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
    await details.getByRole('textbox').fill(reason);
    await details.getByRole('button').click();
  };
  await act('pause', ' ');
  await look('4-pause-error');
  await act('pause', 'They asked for an hour');
  await look('4-paused');
  await act('resume', 'They are back');
  await act('deliver', 'They are on the phone');
  await page.locator('#release-reason').fill('They have fixed it');
  await page.getByRole('button', { name: 'Release those ticked' }).click();
  await look('4-release-error');
  await page.locator('input[name=record]').first().check();
  await page.getByRole('button', { name: 'Release those ticked' }).click();
  await look('4-released');
}

async function lookBeside(page: Page, look: Look): Promise<void> {
  await page.goto('/ops/channels/acme?entity=tickets&status=failed');
  for (const details of await page.locator('section details summary').all()) await details.click();
  await look('5-failed-deliveries');
  await page.goto('/ops/channels/lender');
  await look('5-channel-shared');
  await page.goto('/ops/channels/prairie');
  await look('5-channel-paused');
  await page.goto('/ops/channels/nobody');
  await look('6-no-channel');
  await page.goto('/ops/channels/acme?status=perhaps');
  await look('6-broken-address');
}

/** A name, reason and response with markup, which must be escaped. */
export const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp`;

export const addHostileChannel = (ops: Ops) =>
  addChannel(ops.store, 'hostile', {
    name: HOSTILE,
    base_url: 'https://hostile.example',
    scope: 'all',
    entity_types: ['tickets'],
    companies: [],
    cadence_ms: 3_600_000,
    page_size: 100,
    callback_origins: [],
  });
