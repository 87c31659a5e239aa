import type { Command } from 'commander';
import type { ChainVerdict } from '../../store/consents';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import { requireChannel } from '../require-channel';

type Verdict = ChainVerdict & {
  channel: string;
  /** What is shared although the ledger does not end with its grant. */
  without_grant: { channel: string; partner_id: string; account: string }[];
};

export function consentsVerify(group: Command, connections: Connections): void {
  group
    .command('verify')
    .description(
      'walk the ledger of what farmers agreed to; name what does not hold, and what is shared without it',
    )
    .argument('[channel]', 'its slug; none: every channel')
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string | undefined, { json }: { json?: true }) => {
      const { listWithoutGrant, verifyConsents } = await import('../../store/consents.js');
      const store = await connections.store();
      const verdicts: Verdict[] = [];
      for (const channel of await slugs(slug)) {
        const verdict = await verifyConsents(store, channel);
        const without = await listWithoutGrant(store, channel);
        const without_grant = without.map(({ partner_id, account }) => ({ channel, partner_id, account }));
        verdicts.push({ channel, ...verdict, without_grant });
      }
      if (json) printJson({ data: verdicts.map((verdict) => ({ ...verdict, ok: holds(verdict) })) });
      else print(verdicts);
      refuseBroken(verdicts);
    });

  async function slugs(slug: string | undefined): Promise<string[]> {
    const { findChannel, listChannels } = await import('../../store/channels.js');
    const store = await connections.store();
    if (slug === undefined) return (await listChannels(store)).map(({ _id }) => _id);
    return [requireChannel(await findChannel(store, slug), slug)._id];
  }
}

function print(verdicts: Verdict[]): void {
  printTable(verdicts.map(row));
  printTable(verdicts.flatMap(({ without_grant }) => without_grant));
}

const holds = ({ ok, without_grant }: Verdict) => ok && without_grant.length === 0;

function row(verdict: Verdict) {
  return {
    channel: verdict.channel,
    holds: holds(verdict),
    entries: verdict.links,
    head: verdict.ok ? verdict.head : null,
    broken_at: verdict.ok ? null : verdict.broken,
    without_grant: verdict.without_grant.length,
  };
}

function refuseBroken(verdicts: Verdict[]): void {
  for (const verdict of verdicts) {
    if (verdict.ok) continue;
    throw new Failure(
      `the ledger of ${verdict.channel} is broken at entry ${verdict.broken}: ${verdict.why}`,
      'compare it with a backup: what comes after it proves nothing',
    );
  }
  const without = verdicts.flatMap(({ without_grant }) => without_grant);
  if (without.length === 0) return;
  throw new Failure(
    `${without.length} accounts are shared, as listed, but the last that the ledger has of them is no grant`,
    'compare it with a backup: its end was removed, unless a farmer is saving just now',
  );
}
