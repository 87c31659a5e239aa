import { InvalidArgumentError, type Command } from 'commander';
import { isCompanyId } from '../../domain/company-id';
import type { Connections } from '../connections';
import { note } from '../note';
import { parseText } from '../parse-text';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

interface Options {
  companyId: string;
  company: string;
  name: string;
  json?: true;
}

export function integrationAdd(group: Command, connections: Connections): void {
  group
    .command('add')
    .description('let an ERP push; prints its token, this once')
    .requiredOption('--company-id <id>', 'the company whose records it pushes', parseCompanyId)
    .requiredOption('--company <name>', 'the company’s name, as customers see it', parseText)
    .option('--name <name>', 'which of the company’s ERPs this is', parseText, 'erp')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ companyId, company, name, json }: Options) => {
      const { addIntegration } = await import('../../store/integrations.js');
      const store = await connections.preparedStore();
      const added = await addIntegration(store, { name, company: { id: companyId, name: company } });
      const answer = { id: added.integration._id, token: added.token };
      note('The token is shown this once: put it into the ERP now.');
      if (json) printJson(answer);
      else printFacts(answer);
    });
}

function parseCompanyId(text: string): string {
  if (isCompanyId(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots or underscores.');
}
