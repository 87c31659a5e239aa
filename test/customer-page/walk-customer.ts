import type { Page } from 'playwright-core';
import { newToken } from '../../store/callers/tokens';
import { channelKeys } from '../../store/channels/channels';
import { newLinkKey } from '../../store/secrets/link-keys';
import { onceLoaded } from '../ops/once-loaded';
import { plantScene } from '../ops/plant-scene';
import type { Ops } from '../ops/start-ops';

type Look = (state: string) => Promise<void>;

/** The customer `acme` of the planted scene does all that its page is for. */
export async function walkCustomer(page: Page, ops: Ops, see: Look): Promise<void> {
  const look = onceLoaded(page, see);
  await plantScene(ops.store);
  const { token: apiKey } = (await channelKeys.rotate(ops.store, 'acme', 0))!;
  await signIn(page, apiKey, ops, look);
  await reset(page, look);
  await release(page, look);
  await test(page, look);
  await resend(page, look);
  await notify(page, look);
  await rotate(page, look);
  await link(page, ops, look);
  await page.goto('/customer?entity=tickets&status=failed');
  for (const details of await page.locator('section details summary').all()) await details.click();
  await look('5-failed-deliveries');
  await page.goto('/customer?status=perhaps');
  await look('5-broken-address');
  await page.goto('/customer');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto('/customer');
  await look('0-session-over');
}

async function signIn(page: Page, apiKey: string, ops: Ops, look: Look): Promise<void> {
  const enter = async (key: string) => {
    await page.getByLabel('API key of your channel').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await page.goto('/customer/sign-in');
  await look('0-sign-in');
  await enter(newToken('channel', ops.store));
  await look('0-sign-in-error');
  await enter(apiKey);
  await look('1-channel');
}

async function reset(page: Page, look: Look): Promise<void> {
  const ask = async (time: string) => {
    await page.goto('/customer');
    await page.getByText('Reset a marker', { exact: true }).first().click();
    await page.locator('#reset-entity-type').selectOption('tickets');
    await page.getByLabel('Changed at or after (UTC)').fill(time);
    await page.getByRole('button', { name: 'See what would be resent' }).click();
  };
  await ask('2015-01-01T00:00:00');
  await look('2-reset-time-error');
  await ask('2026-01-01T00:00:00');
  await look('2-reset');
  await page.getByLabel('Reason, for whoever looks next').fill('We restored a backup of yesterday');
  await page.getByRole('button', { name: 'Reset and resend' }).click();
  await look('2-reset-done');
}

async function release(page: Page, look: Look): Promise<void> {
  await page.locator('#release-reason').fill('We know this crop now');
  await page.getByRole('button', { name: 'Release those ticked' }).click();
  await look('3-release-error');
  await page.locator('input[name=record]').first().check();
  await page.getByRole('button', { name: 'Release those ticked' }).click();
  await look('3-released');
}

/** Unfolds one form of the channel's page, fills it in and posts it. */
async function fillIn(
  page: Page,
  [form, title]: [string, string],
  { ofType, ...fields }: Record<string, string>,
): Promise<void> {
  await page.getByText(title, { exact: true }).first().click();
  if (ofType) await page.locator(`#${form}-entity-type`).selectOption(ofType);
  for (const [name, value] of Object.entries(fields)) await page.locator(`#${form}-${name}`).fill(value);
  await page.getByRole('button', { name: title }).click();
}

async function test(page: Page, look: Look): Promise<void> {
  await fillIn(page, ['test', 'Post a test page'], {});
  await look('6-tested');
}

async function resend(page: Page, look: Look): Promise<void> {
  const send = async (account: string) => {
    const fields = { ofType: 'tickets', account, reason: 'Lost at our side' };
    await fillIn(page, ['resend', 'Send an account again'], fields);
  };
  await send('42-none');
  await look('7-account-unknown');
  await send('42-1001');
  await look('7-account-resent');
}

async function notify(page: Page, look: Look): Promise<void> {
  const set = async (address: string) => {
    await page.goto('/customer');
    const fields = { 'notify-url': address, reason: 'Our monitor' };
    await fillIn(page, ['notify', 'Set the notification address'], fields);
  };
  await set('https://10.0.0.1/hooks');
  await look('8-address-error');
  await set('https://acme.example/hooks/gdx');
  await look('8-address-set');
}

async function link(page: Page, ops: Ops, look: Look): Promise<void> {
  const make = async (phone: string) => {
    await page.getByLabel('What you know the farmer by').fill('policy-7');
    await page.getByLabel('The farmer’s phone').fill(phone);
    await page.getByLabel('Reason, for whoever looks next').fill('They called');
    await page.getByRole('button', { name: 'Make the link' }).click();
  };
  const farmers = { scope: 'subscribed', callback_origins: ['https://acme.example'] };
  const channels = ops.store.db.collection<{ _id: string }>('channels');
  await channels.updateOne({ _id: 'acme' }, { $set: farmers });
  await newLinkKey(ops.store, 'acme', 0);
  await page.goto('/customer/link');
  await make('555-0142');
  await look('9-link-error');
  await make('(701) 555-0142');
  await look('9-link-made');
  await channels.updateOne({ _id: 'acme' }, { $set: { scope: 'all' } });
}

async function rotate(page: Page, look: Look): Promise<void> {
  await page.getByRole('link', { name: 'Rotate the signing secret' }).click();
  await look('4-rotate');
  await page.getByLabel('Reason, for whoever looks next').fill(' ');
  await page.getByRole('button', { name: 'Rotate the signing secret' }).click();
  await look('4-rotate-error');
  await page.getByLabel('Reason, for whoever looks next').fill('As every year');
  await page.getByRole('button', { name: 'Rotate the signing secret' }).click();
  await look('4-rotated');
}
