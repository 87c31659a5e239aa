import type { Command } from 'commander';
import { toldFindings } from '../../domain/records/check/findings';
import { checkCompany, type CompanyCheck } from '../../store/check/check-company';
import { createCheckProgress, findingsInWords } from '../../client/check/say-findings';
import type { Call, Envelope } from '../envelope';
import { findIntegration } from '../require-stored';

export function integrationCheck(integration: Command, { reads }: Envelope): void {
  reads(
    integration
      .command('check')
      .description(
        'what is wrong with the records of an ERP’s company, for whom that matters, and how to mend it',
      )
      .argument('<integration>', 'its id'),
    check,
  );
}

async function check(call: Call, id: string) {
  const integration = await findIntegration(call, id);
  const say = createCheckProgress();
  let last: CompanyCheck | undefined;
  for await (last of checkCompany(await call.store(), integration)) say(last.checked);
  const { checked, met } = last!;
  const [findings, company_id] = [toldFindings(met), integration.company.id];
  return {
    json: { id, company_id, checked, findings },
    facts: { id, company_id, ...checked },
    ...findingsInWords(findings),
  };
}
