import { type Command, Option } from 'commander';
import {
  addOperator,
  listOperators,
  type Operator,
  OperatorExists,
  type OperatorRole,
  removeOperator,
  roleOf,
} from '../../store/callers/operators';
import { lastUses } from '../../store/callers/token-use';
import { listOpenSessions, operatorSessions, PAGE_SESSION_MS } from '../../store/sessions/page-sessions';
import { setOperatorAccess } from '../../store/channels/set-access';
import { CliError } from '../../client/cli-error';
import type { Envelope } from '../envelope';
import { parseText } from '../../client/parse-options';
import { note } from '../../client/print';
import { requireOperator } from '../require-stored';
import {
  accessChanges,
  accessFacts,
  type AccessOptions,
  accessOptions,
  nothingToChange,
} from '../token-options';

const ROLES: OperatorRole[] = ['read', 'operate'];

export function operatorCommands(operator: Command, { reads, changes }: Envelope): void {
  changes(
    accessOptions(operator.command('add'))
      .description('allow a person to sign in to /ops; prints the token once')
      .argument('<name>', 'shown beside this person’s actions', parseText)
      .addOption(
        new Option('--role <role>', 'look at every channel, or act too').choices(ROLES).default('read'),
      ),
    async (
      { preparedStore, record },
      name: string,
      { role, ...options }: { role: OperatorRole } & AccessOptions,
    ) => {
      await preparedStore();
      const access = accessChanges(options);
      const change = { channel: null, about: `${name}, ${role}`, before: {} };
      const { token } = await record(change, (store) =>
        addOperator(store, name, role, access).catch((error: unknown) => {
          if (!(error instanceof OperatorExists)) throw error;
          throw new CliError(error.message, `\`gdx operator remove "${name}"\` revokes the old token`);
        }),
      );
      note('The token is shown only once. Enter it at /ops/sign-in; never put it into a URL.');
      return { facts: { name, role, token } };
    },
  );

  reads(operator.command('list').description('who may sign in to /ops'), async ({ store }) => {
    const opened = await store();
    const rows = (await listOperators(opened)).map(async (one) => ({
      name: one.name,
      role: roleOf(one),
      created_at: one.created_at,
      last_used_at: (await lastUses(opened, [one.token_hash])).newest,
      ...accessFacts(one.access),
    }));
    const table = await Promise.all(rows);
    return {
      table,
      none: 'No operators yet: `gdx operator add "your name" --role operate` adds one who may act.',
    };
  });

  reads(
    operator.command('sessions').description('who is signed in to /ops, by token or at the provider'),
    async ({ store }) => {
      const table = (await listOpenSessions(await store())).map(
        ({ name, role, by, session: { expires_at, ends_at } }) => ({
          ...{ name, role, by },
          last_page_at: new Date(expires_at.getTime() - PAGE_SESSION_MS.idle),
          ends_at,
        }),
      );
      return { table, none: 'Nobody is signed in to /ops.' };
    },
  );

  changes(
    operator
      .command('sign-out')
      .description('end a person’s sessions at once; whoever left is first removed at the provider')
      .argument('<name>', 'as `gdx operator sessions` shows it'),
    async ({ store, record }, name: string) => {
      const open = (await listOpenSessions(await store())).filter((one) => one.name === name);
      if (open.length === 0)
        throw new CliError(`${name} is not signed in`, '`gdx operator sessions` lists who is');
      await record({ channel: null, about: name, before: { sessions: open.length } }, async (own) => {
        for (const { session } of open) await operatorSessions.close(own, session);
      });
      return { facts: { name, ended: open.length } };
    },
  );

  changes(
    accessOptions(operator.command('set'))
      .description('bind a person’s token to a time and to addresses they sign in from, or lift that')
      .argument('<name>', 'as `gdx operator list` shows it'),
    async ({ store, record }, name: string, options: AccessOptions) => {
      const access = accessChanges(options);
      if (!access) throw nothingToChange();
      const before = accessFacts(named(await listOperators(await store()), name).access);
      const changed = await record({ channel: null, about: name, before }, (own) =>
        setOperatorAccess(own, name, access),
      );
      return { facts: { name, ...accessFacts(changed?.access) } };
    },
  );

  changes(
    operator
      .command('remove')
      .description('revoke a person’s token and sessions at once')
      .argument('<name>', 'as `gdx operator list` shows it')
      .option('--yes', 'do not ask'),
    async ({ store, confirm, record }, name: string) => {
      const found = named(await listOperators(await store()), name);
      await confirm(`The token and the sessions of ${name} end at once. Continue?`);
      const before = { created_at: found.created_at, role: roleOf(found) };
      await record({ channel: null, about: name, before }, (own) => removeOperator(own, name));
      return { facts: { name, removed: true } };
    },
  );
}

const named = (operators: Operator[], name: string) =>
  requireOperator(
    operators.find((one) => one.name === name),
    name,
  );
