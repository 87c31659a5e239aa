import type { Command } from 'commander';
import type { ChainVerdict } from '../../store/consents';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import { requireChannel } from '../require-channel';

export function consentsVerify(group: Command, connections: Connections): void {
  group
    .command('verify')
    .description('walk the ledger of what farmers agreed to, and name the first entry that does not hold')
    .argument('[channel]', 'its slug; none: every channel')
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string | undefined, { json }: { json?: true }) => {
      const { verifyConsents } = await import('../../store/consents.js');
      const store = await connections.store();
      const verdicts: (ChainVerdict & { channel: string })[] = [];
      for (const channel of await slugs(slug)) {
        verdicts.push({ channel, ...(await verifyConsents(store, channel)) });
      }
      if (json) printJson({ data: verdicts });
      else printTable(verdicts.map(row));
      const broken = verdicts.find(({ ok }) => !ok);
      if (!broken || broken.ok) return;
      throw new Failure(
        `the ledger of ${broken.channel} is broken at entry ${broken.broken}: ${broken.why}`,
        'compare it with a backup: what comes after it proves nothing',
      );
    });

  async function slugs(slug: string | undefined): Promise<string[]> {
    const { findChannel, listChannels } = await import('../../store/channels.js');
    const store = await connections.store();
    if (slug === undefined) return (await listChannels(store)).map(({ _id }) => _id);
    return [requireChannel(await findChannel(store, slug), slug)._id];
  }
}

function row(verdict: ChainVerdict & { channel: string }) {
  return {
    channel: verdict.channel,
    holds: verdict.ok,
    entries: verdict.links,
    head: verdict.ok ? verdict.head : null,
    broken_at: verdict.ok ? null : verdict.broken,
  };
}
