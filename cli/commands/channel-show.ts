import type { Command } from 'commander';
import { describeLaneOf } from '../../domain/lane';
import type { Connections } from '../connections';
import { formatCell, printFacts, printJson } from '../print';
import { channelNamed } from '../require-stored';

export function channelShowCommand(group: Command, connections: Connections): void {
  group
    .command('show')
    .description('settings and state of one channel')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, { json }: { json?: true }) => {
      const channel = await channelNamed(connections, slug);
      const { channelDocument } = await import('../channel-document.js');
      const { liveLinkKeys } = await import('../../store/secrets/link-keys.js');
      const { lastUses } = await import('../../store/callers/token-use.js');
      const store = await connections.store();
      const keys = await liveLinkKeys(store, slug, new Date());
      const uses = await lastUses(store, channel.api_key_hashes);
      const shown = {
        ...channelDocument(channel, Date.now()),
        key_last_used_at: uses.newest,
        old_key_last_used_at: uses.old,
        signed_links: keys !== undefined,
      };
      const lanes = await (await connections.temporal()).lanes(slug);
      if (json) return printJson({ ...shown, lanes: lanes.known });
      const doing = lanes.known
        ? channel.entity_types.map((type) => [`now: ${type}`, describeLaneOf(lanes, type)])
        : [['now', lanes.why]];
      const { paused, failing, companies, has_authorization, ...facts } = shown;
      printFacts({
        ...facts,
        companies: companies.length === 0 ? 'all' : companies,
        authorization: has_authorization ? 'set (not shown)' : 'none',
        ...(failing && { failing: `${failing.failure} since ${formatCell(failing.failure_since)}` }),
        ...Object.fromEntries(doing),
        ...(paused && { paused_since: paused.at, paused_because: paused.reason }),
        ...(await workflowLink(slug)),
      });
    });

  async function workflowLink(slug: string): Promise<{ temporal?: string }> {
    const { temporalUiUrl, temporalNamespace } = await connections.settings();
    if (!temporalUiUrl) return {};
    const workflows = `${temporalUiUrl.replace(/\/$/, '')}/namespaces/${temporalNamespace}/workflows`;
    return { temporal: `${workflows}/${encodeURIComponent(`channel/${slug}`)}` };
  }
}
