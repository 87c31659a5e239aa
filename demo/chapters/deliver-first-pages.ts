import { count } from '../../domain/count';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { ChannelKey } from '../channel-key';
import type { Erp } from '../erp';
import type { Numbers } from '../numbers';
import { runGdx } from '../run-gdx';
import { CUSTOMER_NAME, PAGE_SIZE, PATIENCE_MS, SLUG, type Stage } from '../stage';
import { chapter, say, secondsSince } from '../terminal';

const CADENCE = '2s';
const AUTHORIZATION = 'key-that-acme-gave-us';

/** 3: a channel begins with everything that is stored. */
export async function deliverFirstPages(
  stage: Stage,
  erp: Erp,
): Promise<{ key: ChannelKey; first_delivery: Numbers['first_delivery'] }> {
  chapter(
    'A customer gets its pages',
    "A channel is one customer's feed: it runs once an hour, or every 2 seconds as here.",
  );
  const { customer } = stage;
  const added = await runGdx<{ api_key: string; signing_secret: string }>(
    stage,
    ...['channel', 'add', SLUG, '--name', CUSTOMER_NAME, '--base-url', customer.baseUrl],
    ...['--cadence', CADENCE, '--authorization', AUTHORIZATION],
  );
  const began = Date.now();
  await customer.trust(added.signing_secret, AUTHORIZATION);
  const expected = ENTITY_TYPES.flatMap((type) => pagesOf(type, erp.latest[type].size));
  const records = ENTITY_TYPES.reduce((sum, type) => sum + erp.latest[type].size, 0);
  const pages = await customer.receives(records, 0, PATIENCE_MS);
  const key = new ChannelKey(stage.apiUrl, added.api_key);
  await key.untilConfirmed();
  say(
    `   ${count(records, 'record')} on ${count(pages.length, 'page')}, all confirmed: ${secondsSince(began)}`,
  );
  const received = pages.map((page) => pageLine(page.entity_type, page.page, page.pages, page.records));
  return { key, first_delivery: { expected, received } };
}

/** What must come of so many records: full pages in order, then the rest. */
function pagesOf(type: string, records: number): string[] {
  const pages = Math.ceil(records / PAGE_SIZE);
  return Array.from({ length: pages }, (_, index) =>
    pageLine(type, index + 1, pages, Math.min(PAGE_SIZE, records - index * PAGE_SIZE)),
  );
}

const pageLine = (type: string, page: number, pages: number, records: number) =>
  `${type} ${page} of ${pages}: ${records}`;
