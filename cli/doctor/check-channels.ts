import { timeNow } from '../../domain/time/elapsed';
import { findDeliveries } from '../../store/deliveries/deliveries';
import { lastConfirmed } from '../../store/markers/last-confirmed';
import { isFailure } from '../../domain/deliveries/alert-class';
import type { ChannelClient } from '../../temporal/channel-client';
import { type ChannelCondition, channelCondition } from '../../domain/deliveries/condition';
import { type Alert, listAlerts } from '../../store/alerts/alerts';
import { type Channel, openSecrets } from '../../store/channels/channels';
import { companyNames } from '../../store/callers/integrations';
import { SealUnfit } from '../../store/secrets/channel-seal';
import type { Store } from '../../store/store';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';

const FIXES: Record<string, (slug: string) => string> = {
  unauthorized: (slug) =>
    `ask the customer for its authorization, then \`gdx channel set ${slug} --authorization ...\``,
  misconfigured: (slug) => `check the base URL and their certificate: \`gdx channel test ${slug}\``,
  infrastructure: (slug) =>
    `it is our own side: see the delivery's message and the lines on mongodb and worker, then \`gdx channel deliver ${slug}\``,
  refused: (slug) =>
    `show the customer its answer: \`gdx deliveries ${slug} --status failed --json\`; \`gdx set-aside ${slug}\` lists single records`,
  too_large: (slug) => `ask the customer about the records that \`gdx set-aside ${slug}\` lists`,
};
const LOOK = (slug: string) => `call the customer if it lasts: \`gdx deliveries ${slug} --status failed\``;

/** Whether the channels' stored secrets can be opened, where gdx was given the worker's key. */
export async function checkSecrets(store: Store, channels: Channel[]): Promise<DoctorFinding[]> {
  if (!store.customerSecrets.canOpen)
    return [ok('secrets', 'not checked: GDX_CUSTOMER_SECRETS_KEY, which opens them, is not here')];
  const shut: string[] = [];
  const unfit: DoctorFinding[] = [];
  for (const channel of channels)
    await openSecrets(store, channel, timeNow()).catch((error: unknown) => {
      if (error instanceof SealUnfit)
        unfit.push(fail('secrets', `${error.problem}: nothing is sent to it`, error.advice));
      else shut.push(channel._id);
    });
  if (shut.length === 0 && unfit.length > 0) return unfit;
  if (shut.length === 0) return [ok('secrets', `those of ${channels.length} channels open`)];
  const fix =
    'set GDX_CUSTOMER_SECRETS_KEY to the key they were sealed to; `gdx secrets rewrap` seals them to a new one';
  return [...unfit, fail('secrets', `those of ${shut.join(', ')} do not open: nothing is sent to them`, fix)];
}

/** Whether every channel has its workflow. @throws when Temporal is unavailable */
export async function checkWorkflows(temporal: ChannelClient, channels: Channel[]): Promise<DoctorFinding[]> {
  const running = new Set(await temporal.runningChannels());
  const missing = channels.filter(({ _id }) => !running.has(_id));
  if (missing.length === 0) return [ok('workflows', `each of ${channels.length} channels has its own`)];
  return missing.map(({ _id }) =>
    fail(
      'workflows',
      `channel ${_id} has none`,
      `\`gdx channel deliver ${_id}\` starts it; the reconciler does, while a worker runs`,
    ),
  );
}

/** The health of each channel: paused, failing, stale or healthy. */
export async function checkFeeds(store: Store, channels: Channel[], now: Date): Promise<DoctorFinding[]> {
  const alerts = await listAlerts(store);
  const confirmed = await lastConfirmed(store, channels);
  const findings: DoctorFinding[] = [];
  for (const channel of channels) {
    const tells = ({ class: kind }: Alert) => isFailure(kind) || kind === 'set_aside';
    const own = alerts.filter((alert) => alert.channel === channel._id && tells(alert));
    const known = { alerts: own, deliveredAt: confirmed.get(channel._id) ?? null };
    findings.push(...(await checkFeed(store, channel, own, channelCondition(channel, known, now))));
  }
  return findings;
}

async function checkFeed(
  store: Store,
  channel: Channel,
  alerts: Alert[],
  { health, message: why }: ChannelCondition,
): Promise<DoctorFinding[]> {
  const { _id: slug } = channel;
  const part = `channel ${slug}`;
  if (health === 'paused') {
    const fix = `\`gdx channel resume ${slug}\` when that has ended`;
    return [warn(part, `is paused: ${why ?? 'no reason given'}`, fix)];
  }
  const findings = alerts.map(({ class: kind, message }) =>
    kind === 'set_aside'
      ? warn(part, message, `\`gdx set-aside release ${slug} --all\` once it takes them`)
      : fail(part, `${kind}: ${message}`, (FIXES[kind] ?? LOOK)(slug)),
  );
  if (health === 'stale') {
    const [open] = await findDeliveries(store, slug, { status: 'running', limit: 1 });
    const fix = open
      ? `it may wait for the customer: \`gdx deliveries ${slug} --status running\` shows its last answer; then the line on worker`
      : `see the lines on worker and workflows, then \`gdx channel deliver ${slug}\``;
    findings.push(fail(part, `is stale: ${why}`, fix));
  }
  if (findings.length > 0) return findings;
  const nobody = await unpushed(store, channel.companies);
  if (nobody)
    return [warn(part, `gets nothing new: ${nobody}`, '`gdx integration add` gives its ERP a token')];
  const failed = await lastFailed(store, slug);
  return [
    failed
      ? warn(
          part,
          `its last delivery of ${failed.entity_type} failed: ${failed.failure_message ?? failed.failure}`,
          (FIXES[failed.failure ?? ''] ?? LOOK)(slug),
        )
      : ok(part, 'delivers'),
  ];
}

/** Says that no ERP may push for any of these companies; undefined if one may, and for all companies. */
export async function unpushed(store: Store, companies: readonly string[]): Promise<string | undefined> {
  if (companies.length === 0 || (await companyNames(store, companies)).size > 0) return undefined;
  return `no ERP may push for company ${companies.join(' or ')}`;
}

const RECENT = 20;

async function lastFailed(store: Store, slug: string) {
  const recent = await findDeliveries(store, slug, { limit: RECENT });
  const isLast = (index: number) =>
    recent.findIndex(({ entity_type }) => entity_type === recent[index]!.entity_type) === index;
  return recent.find(({ status }, index) => status === 'failed' && isLast(index));
}
