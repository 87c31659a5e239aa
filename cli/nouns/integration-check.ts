import type { Command } from 'commander';
import { toldFindings } from '../../domain/records/check/findings';
import { checkCompany, type CompanyCheck } from '../../store/check/check-company';
import { createCheckProgress, findingsInWords } from '../../client/check/say-findings';
import type { Call, Envelope } from '../envelope';
import type { Integration } from '../../store/callers/integrations';
import { parseText } from '../../client/parse-options';
import { findIntegration, integrationsOf } from '../require-stored';

export function integrationCheck(integration: Command, { reads }: Envelope): void {
  reads(
    integration
      .command('check')
      .description(
        'what is wrong with the records of an ERP’s company, for whom that matters, and how to mend it',
      )
      .argument('[integration]', 'its id')
      .option('--vendor <name>', 'all ERPs of a vendor instead', parseText),
    check,
  );
}

async function check(call: Call, id: string | undefined, { vendor }: { vendor?: string }) {
  if (id === undefined) return checkAll(call, vendor);
  const { company_id, checked: numbers, findings } = await checked(call, await findIntegration(call, id));
  return {
    json: { id, company_id, checked: numbers, findings },
    facts: { id, company_id, ...numbers },
    ...findingsInWords(findings),
  };
}

/** One line an ERP: whoever has findings is looked at by its id. */
async function checkAll(call: Call, vendor: string | undefined) {
  const data = [];
  for (const one of await integrationsOf(call, vendor)) data.push(await checked(call, one));
  const table = data.map(({ findings, checked, ...one }) => ({
    ...one,
    records: Object.values(checked).reduce((sum, number) => sum + number, 0),
    findings: findings.map(({ name, count: number }) => `${name} ${number}`),
  }));
  return { json: { data }, table };
}

async function checked(call: Call, integration: Integration) {
  const say = createCheckProgress();
  let last: CompanyCheck | undefined;
  for await (last of checkCompany(await call.store(), integration)) say(last.checked);
  const { checked, met } = last!;
  return { id: integration._id, company_id: integration.company.id, checked, findings: toldFindings(met) };
}
