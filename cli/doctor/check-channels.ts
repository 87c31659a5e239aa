import type { Bell } from '../../bell/bell';
import { isStale, staleMessage } from '../../domain/freshness';
import type { Alert } from '../../store/alerts';
import type { Channel } from '../../store/channels';
import type { Store } from '../../store/connect';
import { fail, type Finding, ok, warn } from './finding';

const FIXES: Record<string, (slug: string) => string> = {
  unauthorized: (slug) =>
    `ask the customer for its authorization, then \`gdx channel set ${slug} --authorization ...\``,
  misconfigured: (slug) => `check the base URL and their certificate: \`gdx channel test ${slug}\``,
  refused: (slug) => `ask the customer about the records that \`gdx set-aside ${slug}\` lists`,
  too_large: (slug) => `ask the customer about the records that \`gdx set-aside ${slug}\` lists`,
};
const LOOK = (slug: string) => `call the customer if it lasts: \`gdx deliveries ${slug} --status failed\``;

/** Whether what is stored of the channels opens with our key. */
export async function checkSecrets(store: Store, channels: Channel[]): Promise<Finding[]> {
  const { openSecrets } = await import('../../store/channels.js');
  const shut = channels.filter((channel) => !opens(() => openSecrets(store, channel, new Date())));
  if (shut.length === 0) return [ok('secrets', `those of ${channels.length} channels open`)];
  const slugs = shut.map(({ _id }) => _id).join(', ');
  const fix = 'set GDX_SECRET_KEY to the key they were sealed with, or name that one in GDX_SECRET_KEY_OLD';
  return [fail('secrets', `those of ${slugs} do not open: nothing is sent to them`, fix)];
}

function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

/** Every channel has its workflow, and no other has one. @throws when Temporal is away */
export async function checkWorkflows(bell: Bell, channels: Channel[]): Promise<Finding[]> {
  const running = new Set(await bell.runningChannels());
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

/** How each channel does: paused, failing, stale, or well. */
export async function checkFeeds(store: Store, channels: Channel[], now: Date): Promise<Finding[]> {
  const { listAlerts } = await import('../../store/alerts.js');
  const { freshest } = await import('../../store/channel-trouble.js');
  const { lastConfirmed } = await import('../../store/last-confirmed.js');
  const alerts = await listAlerts(store);
  const confirmed = await lastConfirmed(store);
  const findings: Finding[] = [];
  for (const channel of channels) {
    const own = alerts.filter((alert) => alert.channel === channel._id && alert.class !== 'stale');
    const fresh = freshest(channel, confirmed.get(channel._id) ?? null);
    findings.push(...(await checkFeed(store, channel, fresh, own, now)));
  }
  return findings;
}

async function checkFeed(
  store: Store,
  channel: Channel,
  fresh: Date,
  alerts: Alert[],
  now: Date,
): Promise<Finding[]> {
  const { _id: slug, state, paused, cadence_ms } = channel;
  const part = `channel ${slug}`;
  if (state === 'paused') {
    return [
      warn(
        part,
        `is paused: ${paused?.reason ?? 'no reason given'}`,
        `\`gdx channel resume ${slug}\` when it is over`,
      ),
    ];
  }
  const findings = alerts.map(({ class: kind, message }) =>
    fail(part, `${kind}: ${message}`, (FIXES[kind] ?? LOOK)(slug)),
  );
  if (isStale(fresh, cadence_ms, now)) {
    findings.push(
      fail(
        part,
        `is stale: ${staleMessage(channel, fresh)}`,
        'see the lines on worker and workflows, then `gdx channel deliver ' + slug + '`',
      ),
    );
  }
  if (findings.length > 0) return findings;
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

const RECENT = 20;

async function lastFailed(store: Store, slug: string) {
  const { listDeliveries } = await import('../../store/deliveries.js');
  const recent = await listDeliveries(store, slug, { limit: RECENT });
  const isLast = (index: number) =>
    recent.findIndex(({ entity_type }) => entity_type === recent[index]!.entity_type) === index;
  return recent.find(({ status }, index) => status === 'failed' && isLast(index));
}
