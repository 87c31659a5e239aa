import { count } from '../../../domain/records/count';
import { ENTITY_TYPES } from '../../../domain/records/entity-types';
import { recordChannel } from '../../judge/record-history';
import { ChannelKey } from '../channel-key';
import type { DemoErp } from '../demo-erp';
import { runGdx } from '../run-gdx';
import { CUSTOMER_NAME, DEMO_PAGE_SIZE, STEP_TIMEOUT_MS, CUSTOMER_SLUG, type DemoStage } from '../demo-stage';
import { chapter, say, secondsSince } from '../terminal';
import { check } from '../verdict';

const CADENCE = '2s';
const AUTHORIZATION = 'key-that-acme-gave-us';

/** 3: a channel begins with everything that is stored. */
export async function deliverFirstPages(stage: DemoStage, erp: DemoErp): Promise<ChannelKey> {
  chapter(
    'A customer gets its pages',
    "A channel is one customer's feed: it runs once an hour, or every 2 seconds as here.",
  );
  const { customer } = stage;
  const added = await runGdx<{ api_key: string; signing_secret: string }>(
    stage,
    ...['channel', 'add', CUSTOMER_SLUG, '--name', CUSTOMER_NAME, '--base-url', customer.baseUrl],
    '--all-companies',
    ...['--cadence', CADENCE, '--authorization', AUTHORIZATION],
  );
  const began = Date.now();
  recordChannel(CUSTOMER_SLUG, 'all', added.signing_secret);
  customer.trust({ signingSecret: added.signing_secret, authorization: AUTHORIZATION });
  const expected = ENTITY_TYPES.flatMap((type) => pagesOf(type, erp.latest[type].size));
  const records = ENTITY_TYPES.reduce((sum, type) => sum + erp.latest[type].size, 0);
  const pages = await customer.receives(records, 0, STEP_TIMEOUT_MS);
  const key = new ChannelKey(stage.apiUrl, added.api_key);
  await key.untilConfirmed();
  say(
    `   ${count(records, 'record')} on ${count(pages.length, 'page')}, all confirmed: ${secondsSince(began)}`,
  );
  // In the order of each type: one does not wait for ever until the one before has closed.
  const received = ENTITY_TYPES.flatMap((type) =>
    pages.filter(({ entity_type }) => entity_type === type),
  ).map((page) => pageLine(page.entity_type, page.page, page.pages, page.records));
  check('the first pages', received, expected);
  return key;
}

/** The expected pages: full ones, then the rest. */
function pagesOf(type: string, records: number): string[] {
  const pages = Math.ceil(records / DEMO_PAGE_SIZE);
  return Array.from({ length: pages }, (_, index) =>
    pageLine(type, index + 1, pages, Math.min(DEMO_PAGE_SIZE, records - index * DEMO_PAGE_SIZE)),
  );
}

const pageLine = (type: string, page: number, pages: number, records: number) =>
  `${type} ${page} of ${pages}: ${records}`;
