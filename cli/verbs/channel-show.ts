import type { Command } from 'commander';
import type { Connections } from '../connections';
import { formatCell } from '../format-cell';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

export function channelShow(group: Command, connections: Connections): void {
  group
    .command('show')
    .description('the settings and the state of one channel')
    .argument('<channel>', 'its slug')
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { json }: { json?: true }) => {
      const { findChannel } = await import('../../store/channels.js');
      const channel = requireChannel(await findChannel(await connections.store(), slug), slug);
      const { showChannel } = await import('../show-channel.js');
      const shown = showChannel(channel, Date.now());
      if (json) return printJson(shown);
      const { paused, failing, companies, has_authorization, ...facts } = shown;
      printFacts({
        ...facts,
        companies: companies.length === 0 ? 'all' : companies,
        authorization: has_authorization ? 'set (not shown)' : 'none',
        ...(failing && { failing: `${failing.failure} since ${formatCell(failing.failure_since)}` }),
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
