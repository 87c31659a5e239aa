import { type Command, InvalidArgumentError } from 'commander';
import { isCompanyId, isTestCompany } from '../../domain/company-id';
import { CliError, EXIT } from '../cli-error';
import type { Connections } from '../connections';
import { parseText } from '../parse-options';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';

interface Options {
  companyId: string;
  company: string;
  name: string;
  sameCompany?: true;
  reason?: string;
  json?: true;
}

export function integrationAddCommand(group: Command, connections: Connections): void {
  group
    .command('add')
    .description('allow an ERP to push; prints its token once')
    .requiredOption('--company-id <id>', 'the company whose records it pushes', parseCompanyId)
    .requiredOption('--company <name>', 'the company’s name, as customers see it', parseText)
    .option('--name <name>', 'which of the company’s ERPs this is', parseText, 'erp')
    .option('--same-company', 'the company id is in use under another name, and it is the same company')
    .action(async ({ companyId, company, name, sameCompany, reason, json }: Options) => {
      const { addIntegration } = await import('../../store/callers/integrations.js');
      const names = await otherNamesOf(companyId, company);
      if (names.length > 0 && !sameCompany) throw inUse(companyId, names, company);
      const about = `${name} of company ${companyId}, ${company}`;
      const change = { action: 'integration add', channel: null, about, before: { names }, reason } as const;
      const added = await recordChange(connections, change, (store) =>
        addIntegration(store, { name, company: { id: companyId, name: company } }),
      );
      const answer = { id: added.integration._id, token: added.token };
      note('The token is shown only once: put it into the ERP now.');
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function otherNamesOf(companyId: string, name: string): Promise<string[]> {
    const { listIntegrations } = await import('../../store/callers/integrations.js');
    const all = await listIntegrations(await connections.preparedStore());
    const names = all.flatMap(({ company }) => (company.id === companyId ? [company.name] : []));
    return [...new Set(names)].filter((other) => other !== name);
  }
}

// A typing error in the id would let one company's ERP overwrite the records of another.
const inUse = (companyId: string, names: string[], name: string) =>
  new CliError(
    `company ${companyId} is ${names.map((other) => `“${other}”`).join(' and ')}, not “${name}”`,
    'correct --company-id or --company; if they are one company, add --same-company',
    EXIT.usage,
  );

function parseCompanyId(text: string): string {
  if (isTestCompany(text)) throw new InvalidArgumentError('test. begins the companies of `gdx sandbox`.');
  if (isCompanyId(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots or underscores.');
}
