import type { Command } from 'commander';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { note } from '../note';
import { parseText } from '../parse-text';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

export function operatorAdd(group: Command, connections: Connections): void {
  group
    .command('add')
    .description('let somebody sign in to /ops; prints the token, this once')
    .argument('<name>', 'as it stands beside what this person does', parseText)
    .option('--json', 'one JSON document on stdout')
    .action(async (name: string, { json }: { json?: true }) => {
      const answer = { name, token: await add(name) };
      note('The token is shown this once: it is typed into /ops/sign-in, and is never in an address.');
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function add(name: string): Promise<string> {
    const { addOperator, OperatorExists } = await import('../../store/operators.js');
    const store = await connections.preparedStore();
    try {
      return (await addOperator(store, name)).token;
    } catch (error) {
      if (!(error instanceof OperatorExists)) throw error;
      throw new Failure(error.message, `\`gdx operator remove "${name}"\` ends the token of before`);
    }
  }
}
