import type { Command } from 'commander';
import type { Alert } from '../../store/alerts/alerts';
import type { Connections } from '../connections';
import { note, printFacts, printJson, printTable } from '../print';
import { channelNamed } from '../require-stored';

interface Options {
  all?: true;
  secret?: true;
  json?: true;
}

export function alertsCommand(program: Command, connections: Connections): void {
  program
    .command('alerts')
    .description('what an operator should look at now, oldest first')
    .argument('[channel]', 'its slug; none: every channel')
    .option('--all', 'those that are resolved, too')
    .option('--secret', 'show what notices to the webhook are signed with, instead')
    .action(async (channel: string | undefined, { all, secret, json }: Options) => {
      if (secret) return showSecret(json);
      const { listAlerts } = await import('../../store/alerts/alerts.js');
      const store = await connections.store();
      if (channel !== undefined) {
        await channelNamed(connections, channel);
      }
      const found = await listAlerts(store, { channel, all });
      if (json) return printJson({ data: found.map(shown) });
      if (found.length === 0) note(all ? 'There was no alert.' : 'No alert is open.');
      printTable(found.map(row));
    });

  async function showSecret(json: true | undefined): Promise<void> {
    const { readAlertSecret } = await import('../../store/secrets/alert-secret.js');
    const { alertWebhook } = await connections.settings();
    const signing_secret = alertWebhook?.secret ?? (await readAlertSecret(await connections.preparedStore()));
    if (json) printJson({ signing_secret });
    else printFacts({ signing_secret });
  }
}

function shown({ _id: id, channel, integration, class: kind, state, subjects, message, ...rest }: Alert) {
  const { opened_at, last_failed_at, resolved_at, notices } = rest;
  const told = notices.map(({ kind: notice, at, sent_at, message: said }) => ({
    notice,
    at,
    sent_at,
    message: said,
  }));
  return {
    id,
    channel: integration === undefined ? channel : null,
    integration: integration ?? null,
    class: kind,
    state,
    failing: subjects,
    message,
    opened_at,
    last_failed_at,
    resolved_at,
    notices: told,
  };
}

function row({ channel, class: kind, state, subjects, opened_at, unsent, message }: Alert) {
  return { channel, class: kind, state, since: opened_at, failing: subjects, unsent, message };
}
