import { count } from '../../../domain/records/count';
import { generateCompany } from '../../sample/generate-elevator-company';
import { DemoErp, type Item, type PushedType } from '../demo-erp';
import { runGdx } from '../run-gdx';
import { DEMO_COMPANY, type DemoStage } from '../demo-stage';
import { chapter, say } from '../terminal';

const TYPES: PushedType[] = ['elevators', 'accounts', 'contracts', 'tickets', 'settlements'];

/** 2: a harvest of records, generated, goes in by the front door. */
export async function pushCompany(stage: DemoStage): Promise<DemoErp> {
  chapter(
    'The ERP pushes its records',
    'An answer of 204 is a promise: from then on nothing of the push is lost.',
  );
  const { token } = await runGdx<{ token: string }>(
    stage,
    ...['integration', 'add', '--company-id', DEMO_COMPANY.id, '--company', DEMO_COMPANY.name],
  );
  const company = generateCompany({ seed: 2026, accounts: 120, tickets: 2_500 });
  const items = TYPES.flatMap((type) => company[type].map((record): Item => [type, record]));
  const sizes = TYPES.map((type) => `${company[type].length.toLocaleString('en-US')} ${type}`);
  say(`   ${DEMO_COMPANY.name} has ${sizes.join(', ')}`);

  const erp = new DemoErp(stage.apiUrl, token);
  const began = Date.now();
  const requests = await erp.push(items, (records, ms) =>
    say(`   erp -> POST /api/v1/push  ${count(records, 'record')}  answered 204 in ${ms} ms`),
  );
  const seconds = (Date.now() - began) / 1_000;
  const rate = Math.round(items.length / seconds).toLocaleString('en-US');
  say(
    `   ${count(items.length, 'record')} in ${count(requests, 'request')}: ${seconds.toFixed(1)} s, ${rate} a second`,
  );
  return erp;
}
