import type { Command } from 'commander';
import { FINDINGS } from '../../domain/check/findings';
import { checkCompany } from '../../store/check/check-company';
import { readPushActivity } from '../../store/push/push-activity';
import type { Call, Envelope } from '../envelope';
import { note } from '../print';
import { findIntegration } from '../require-stored';

const SAY_EVERY_MS = 5_000;

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
  const { company } = await findIntegration(call, id);
  const store = await call.store();
  let said = Date.now();
  const { checked, met } = await checkCompany(store, company.id, {
    say(type, count) {
      if (Date.now() - said < SAY_EVERY_MS) return;
      said = Date.now();
      note(`${count.toLocaleString('en-US')} ${type} checked`);
    },
  });
  const pushed = (await readPushActivity(store)).get(id);
  if (pushed?.silent_at && pushed.silent_at <= new Date())
    met.set('silent', { count: 1, examples: [`integration ${id}`] });
  const findings = FINDINGS.flatMap(({ name, says, follows, mend }) => {
    const found = met.get(name);
    return found ? [{ name, ...found, says, follows, mend }] : [];
  });
  return {
    json: { id, company_id: company.id, checked, findings },
    facts: { id, company_id: company.id, ...checked },
    notes: findings.length === 0 ? ['Nothing is wrong with these records.'] : [],
    text: findings.map(inWords).join(''),
  };
}

type Told = (typeof FINDINGS)[number] & { count: number; examples: string[] };

const inWords = ({ name, count, examples, says, follows, mend }: Omit<Told, 'isIn'>) => `
${name}: ${count.toLocaleString('en-US')} ${says}
  such as  ${examples.join(', ')}
  so that  ${follows}
  to mend  ${mend}
`;
