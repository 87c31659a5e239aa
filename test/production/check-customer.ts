import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import type { DemoErp } from '../../tools/demo/demo-erp';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import { gdxAnswer } from './service';
import type { ProductionStage } from './stage';
import type { Heard } from './tls-host';

interface Page {
  data: Record<string, { remote_id: string }>[];
}

/** Every acknowledged record has arrived over TLS with a valid signature. */
export async function checkCustomer(
  { settings, customer }: ProductionStage,
  findings: Findings,
  erp: DemoErp,
  secret: string,
): Promise<void> {
  const pages = () => customer.at('/feed');
  await findings.that('every pushed record came over TLS', () =>
    eventually(() => {
      const wanted = ENTITY_TYPES.flatMap((type) =>
        [...erp.latest[type].keys()].map((id) => `${type}/${id}`),
      );
      const came = new Set(pages().flatMap(recordsOf));
      const missing = wanted.filter((record) => !came.has(record));
      assert.equal(missing.length, 0, `${missing.length} of ${wanted.length} did not come`);
      assert.equal(came.size, wanted.length, 'more came than was pushed');
      const protocols = new Set(pages().map(({ protocol }) => protocol));
      assert.ok(!protocols.has(null), 'a page came without TLS');
      return `${wanted.length} records, ${pages().length} pages, ${[...protocols].join(', ')}`;
    }, 60_000),
  );
  await findings.that('signature of every page holds', async () => {
    assert.ok(pages().length > 0, 'no page came');
    const webhook = new Webhook(secret);
    for (const { body, headers } of pages()) webhook.verify(body, headers as Record<string, string>);
    return `${pages().length} verified by standardwebhooks`;
  });
  await findings.that('gdx channel test', async () => {
    const { status, ...answer } = await gdxAnswer<{ status: number; class: string }>(
      settings,
      ...['channel', 'test', 'acme'],
    );
    return `${status} ${answer.class}`;
  });
}

function recordsOf({ headers, body }: Heard): string[] {
  const { data } = JSON.parse(body) as Page;
  return data.map((wrapper) => `${headers['x-entity-type']}/${Object.values(wrapper)[0]?.remote_id}`);
}
