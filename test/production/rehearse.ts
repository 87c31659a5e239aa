import { generateCompany } from '../../tools/sample/generate-elevator-company';
import { DemoErp, type Item, type PushedType } from '../../tools/demo/demo-erp';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import { gdxAnswer } from './service';
import type { ProductionStage } from './stage';
import { checkCustomer } from './check-customer';
import { checkDraining } from './check-draining';
import { checkFarmer } from './check-farmer';
import { checkMetrics } from './check-metrics';
import { checkRefusals } from './check-refusals';
import { checkStranger } from './check-stranger';

const COMPANY = { id: '42', name: 'Prairie Co-op' };
const TYPES: PushedType[] = ['elevators', 'accounts', 'contracts', 'tickets', 'settlements'];

/** The first day in production: everything by the operator's tool, the ERP's push and the farmer's browser. */
export async function rehearse(stage: ProductionStage, findings: Findings): Promise<void> {
  const { settings, customer, stranger, api, worker, port } = stage;
  for (const { name, readyUrl } of [api, worker])
    await findings.that(`${name} ready`, () => eventually(() => ready(readyUrl), 60_000));

  const { token } = await gdxAnswer<{ token: string }>(
    settings,
    ...['integration', 'add', '--company-id', COMPANY.id, '--company', COMPANY.name],
  );
  const acme = await addChannel(stage, 'acme', customer.url);
  await addChannel(stage, 'stranger', stranger.url.replace(/:443$/, ''));
  const purpose = ['--purpose', 'en=To lend.', '--purpose', 'es=Para prestar.', '--passes-on', 'nobody'];
  const origin = ['--callback-origin', 'https://acme.example'];
  await addChannel(
    stage,
    'lender',
    customer.url,
    '--scope',
    'subscribed',
    '--unsigned-links',
    ...purpose,
    ...origin,
  );
  const erp = new DemoErp(`http://127.0.0.1:${port}`, token);
  await findings.that('push answered 204', () => push(erp));
  for (const slug of ['acme', 'stranger']) await gdxAnswer(settings, 'channel', 'deliver', slug);

  await checkCustomer(stage, findings, erp, acme.signing_secret);
  await checkStranger(stage, findings);
  await checkRefusals(stage, findings);
  await checkFarmer(stage, findings);
  await checkMetrics(stage, findings);
  await checkDraining(stage, findings, token);
}

async function ready(url: string): Promise<string> {
  const answer = await fetch(url);
  const { status, parts } = (await answer.json()) as { status: string; parts: object };
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(parts)}`);
  return `${status}: ${Object.keys(parts).join(', ')}`;
}

const addChannel = ({ settings }: ProductionStage, slug: string, baseUrl: string, ...more: string[]) =>
  gdxAnswer<{ signing_secret: string }>(
    settings,
    ...['channel', 'add', slug, '--name', `Customer ${slug}`, '--base-url', baseUrl],
    ...['--all-companies', ...more],
  );

async function push(erp: DemoErp): Promise<string> {
  const company = generateCompany({ seed: 2026, accounts: 20, tickets: 400 });
  const items = TYPES.flatMap((type) => company[type].map((record): Item => [type, record]));
  const requests = await erp.push(items, () => {});
  return `${items.length} records in ${requests} request${requests === 1 ? '' : 's'}`;
}
