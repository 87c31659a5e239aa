import { timeNow } from '../../domain/time/elapsed';
import type { Command } from 'commander';
import { type Alert, listAlerts, raiseAlert, resolveAlert } from '../../store/alerts/alerts';
import { readAlertSecret } from '../../store/secrets/alert-secret';
import type { Call, Envelope } from '../envelope';
import { channelEvenClosed } from '../require-stored';

export function alertsCommands(alerts: Command, { reads, changes }: Envelope): void {
  changes(
    alerts
      .command('test')
      .description('open an alert and resolve it, to see that the webhook takes both notices'),
    test,
  );
  reads(
    alerts
      .argument('[channel]', 'its slug; none: every channel')
      .option('--all', 'those that are resolved, too')
      .option('--secret', 'show what notices to the webhook are signed with, instead'),
    async (call, channel: string | undefined, { all, secret }: { all?: true; secret?: true }) => {
      if (secret) return { facts: { signing_secret: await signingSecret(call) } };
      if (channel !== undefined) await channelEvenClosed(call, channel);
      const found = await listAlerts(await call.store(), { channel, all });
      const none = all ? 'There was no alert.' : 'No alert is open.';
      const table = found.map((alert) => ({ ...row(alert), ...(all && endOf(alert)) }));
      return { json: { data: found.map(shown) }, table, none };
    },
  );
}

// No channel has a slash in its slug.
const TRIED = { channel: 'service/test', class: 'test', subject: undefined } as const;

/** The worker posts these notices like all others, so the test covers the whole path. */
async function test({ preparedStore, record, settings }: Call) {
  await preparedStore();
  const { alertWebhook } = await settings();
  const { id } = await record({ channel: null, about: 'the alert webhook', before: {} }, async (store) => {
    const { id: opened } = await raiseAlert(store, { ...TRIED, message: 'A test: do nothing' }, timeNow());
    await resolveAlert(store, opened, 'The test has ended', timeNow());
    return { id: opened };
  });
  return {
    facts: { alert: id },
    notes: [
      ...(alertWebhook
        ? []
        : [
            'GDX_ALERT_WEBHOOK_URL is not set here: where the worker has none either, the notices are only logged, and nobody is told.',
          ]),
      'The worker posts both notices within its interval of reconciling (two minutes); until they are taken, `gdx alerts --all` counts them under NOTICES_UNSENT.',
    ],
  };
}

async function signingSecret({ settings, preparedStore }: Call): Promise<string> {
  const { alertWebhook } = await settings();
  return alertWebhook?.secret ?? (await readAlertSecret(await preparedStore()));
}

const shown = (alert: Alert) => ({
  id: alert._id,
  channel: alert.integration === undefined ? alert.channel : null,
  integration: alert.integration ?? null,
  class: alert.class,
  state: alert.state,
  failing: alert.subjects,
  message: alert.message,
  opened_at: alert.opened_at,
  last_failed_at: alert.last_failed_at,
  resolved_at: alert.resolved_at,
  notices: alert.notices.map(({ kind, at, sent_at, message }) => ({ notice: kind, at, sent_at, message })),
});

const row = (alert: Alert) => ({
  channel: alert.channel,
  class: alert.class,
  state: alert.state,
  since: alert.opened_at,
  failing: alert.subjects,
  notices_unsent: alert.unsent,
  message: alert.message,
});

function endOf({ resolved_at, notices }: Alert) {
  const because = notices.findLast(({ kind }) => kind === 'resolved')?.message;
  return { resolved_at, resolved_because: resolved_at && because };
}
