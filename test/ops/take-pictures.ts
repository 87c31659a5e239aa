import type { Browser } from 'playwright-core';
import path from 'node:path';
import { nextDue } from '../../domain/deliveries/cadence';
import type { EntityType } from '../../domain/records/entity-types';
import type { LaneView } from '../../domain/deliveries/lane';
import { hearingSignals } from '../api/start-api';
import { takeScreenshot } from '../screenshots/take-screenshot';
import { startOps } from './start-ops';
import { walkOps } from './walk-ops';

/** The states of which docs/operator.md has a picture. */
export const IN_DOCS = ['1-channels', '2-channel-failing', '3-reset'];

export const SIZES = { desk: { width: 1400, height: 760 }, phone: { width: 390, height: 844 } };

/** The pictures of docs/, each `<state>.png`, as a desk shows them. */
export async function takeDocsPictures(browser: Browser, folder: string): Promise<void> {
  await walkAt(browser, 'desk', async (state, shoot) => {
    if (IN_DOCS.includes(state)) await shoot({ path: path.join(folder, `${state}.png`) });
  });
}

/** Every state, each `<state>.<size>.png`, whole, at a desk and on a phone. */
export async function takeAllPictures(browser: Browser, folder: string): Promise<void> {
  for (const size of ['desk', 'phone'] as const) {
    await walkAt(browser, size, async (state, shoot) => {
      await shoot({ path: path.join(folder, `${state}.${size}.png`), fullPage: true });
    });
  }
}

type Shoot = (options: { path: string; fullPage?: boolean }) => Promise<unknown>;

const HOUR_MS = 3_600_000;

/** As the workflow of the scene would say it. */
function lanesNow(): LaneView[] {
  const until = new Date(nextDue('acme', HOUR_MS, Date.now())).toISOString();
  const idle = (entity_type: EntityType): LaneView => ({ entity_type, state: 'idle', until, why: null });
  const why = 'Acme Crop Insurance answered 503';
  const tickets: LaneView = { entity_type: 'tickets', state: 'waiting', until: null, why };
  return [idle('accounts'), idle('contracts'), tickets, idle('settlements')];
}

/** The service of the scene, with a workflow that answers. */
export function startScene() {
  const { temporal } = hearingSignals();
  return startOps({ temporal: { ...temporal, lanes: async () => ({ known: lanesNow() }) } });
}

async function walkAt(
  browser: Browser,
  size: keyof typeof SIZES,
  look: (state: string, shoot: Shoot) => Promise<void>,
): Promise<void> {
  const ops = await startScene();
  const page = await browser.newPage({ viewport: SIZES[size], baseURL: `http://127.0.0.1:${ops.port}` });
  await walkOps(page, ops, (state) => look(state, (options) => takeScreenshot(page, options)));
  await page.close();
  await ops.stop();
}
