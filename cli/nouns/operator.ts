import { type Command, Option } from 'commander';
import {
  addOperator,
  listOperators,
  OperatorExists,
  type OperatorRole,
  removeOperator,
  roleOf,
} from '../../store/callers/operators';
import { CliError } from '../cli-error';
import type { Envelope } from '../envelope';
import { parseText } from '../parse-options';
import { note } from '../print';

const ROLES: OperatorRole[] = ['read', 'operate'];

export function operatorCommands(operator: Command, { reads, changes }: Envelope): void {
  changes(
    operator
      .command('add')
      .description('allow a person to sign in to /ops; prints the token once')
      .argument('<name>', 'shown beside this person’s actions', parseText)
      .addOption(
        new Option('--role <role>', 'look at every channel, or act too').choices(ROLES).default('read'),
      ),
    async ({ preparedStore, record }, name: string, { role }: { role: OperatorRole }) => {
      await preparedStore();
      const change = { channel: null, about: `${name}, ${role}`, before: {} };
      const { token } = await record(change, (store) =>
        addOperator(store, name, role).catch((error: unknown) => {
          if (!(error instanceof OperatorExists)) throw error;
          throw new CliError(error.message, `\`gdx operator remove "${name}"\` revokes the old token`);
        }),
      );
      note('The token is shown only once. Enter it at /ops/sign-in; never put it into a URL.');
      return { facts: { name, role, token } };
    },
  );

  reads(operator.command('list').description('who may sign in to /ops'), async ({ store }) => {
    const table = (await listOperators(await store())).map((one) => ({
      name: one.name,
      role: roleOf(one),
      created_at: one.created_at,
    }));
    return { table, none: 'No operators yet: `gdx operator add` creates one.' };
  });

  changes(
    operator
      .command('remove')
      .description('revoke a person’s token and sessions at once')
      .argument('<name>', 'as `gdx operator list` shows it')
      .option('--yes', 'do not ask'),
    async ({ store, confirm, record }, name: string) => {
      const found = (await listOperators(await store())).find((one) => one.name === name);
      if (!found) throw new CliError(`there is no operator ${name}`, '`gdx operator list` shows them all');
      await confirm(`The token and the sessions of ${name} end at once. Continue?`);
      const before = { created_at: found.created_at, role: roleOf(found) };
      await record({ channel: null, about: name, before }, (own) => removeOperator(own, name));
      return { facts: { name, removed: true } };
    },
  );
}
