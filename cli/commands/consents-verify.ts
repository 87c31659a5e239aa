import type { Command } from 'commander';
import type { ChainVerdict } from '../../store/consent/verify-consents';
import type { Connections } from '../connections';
import { collectHead, headsOf, type HeadsByChannel, readHeads } from '../ledger-heads';
import { CliError } from '../cli-error';
import { printJson, printTable } from '../print';
import { channelNamed } from '../require-stored';

type Verdict = ChainVerdict & {
  channel: string;
  /** Subscriptions whose last ledger entry is not a grant. */
  without_grant: { channel: string; partner_id: string; account: string }[];
};

interface Options {
  head?: HeadsByChannel;
  heads?: string;
  json?: true;
}

export function consentsVerifyCommand(group: Command, connections: Connections): void {
  group
    .command('verify')
    .description(
      'walk the ledger of what farmers agreed to; name what does not hold, and what is shared without it',
    )
    .argument('[channel]', 'its slug; none: every channel')
    .option(
      '--head <head>',
      'a head that was kept outside, <channel>/<number>:<hash>; repeatable',
      collectHead,
    )
    .option('--heads <file>', 'a file with such heads, such as the log of what the alerts posted')
    .option('--json', 'one JSON document on stdout; names the public keys too')
    .action(async (slug: string | undefined, { head, heads: file, json }: Options) => {
      const { listWithoutGrant } = await import('../../store/consent/consents.js');
      const { verifyConsents } = await import('../../store/consent/verify-consents.js');
      const { readLedgerKeys } = await import('../../store/secrets/ledger-keys.js');
      const kept = file === undefined ? (head ?? new Map()) : readHeads(file, head);
      const store = await connections.store();
      const verdicts: Verdict[] = [];
      for (const channel of await slugs(slug, kept)) {
        const verdict = await verifyConsents(store, channel, headsOf(kept, channel));
        const without = await listWithoutGrant(store, channel);
        const without_grant = without.map(({ partner_id, account }) => ({ channel, partner_id, account }));
        verdicts.push({ channel, ...verdict, without_grant });
      }
      const { known } = await readLedgerKeys(store);
      const public_keys = known.map(({ id, shown }) => ({ id, ed25519: shown }));
      const data = verdicts.map((verdict) => ({ ...verdict, ok: holds(verdict) }));
      if (json) printJson({ data, public_keys });
      else print(verdicts);
      refuseBroken(verdicts);
    });

  async function slugs(slug: string | undefined, kept: HeadsByChannel): Promise<string[]> {
    if (slug !== undefined) return [(await channelNamed(connections, slug))._id];
    const { listChannels } = await import('../../store/channels/channels.js');
    const there = (await listChannels(await connections.store())).map(({ _id }) => _id);
    return [...new Set([...there, ...kept.keys()])]; // a channel that is gone had its ledger
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
    head: verdict.ok && verdict.links > 0 ? `${verdict.channel}/${verdict.links}:${verdict.head}` : null,
    broken_at: verdict.ok ? null : verdict.broken,
    without_grant: verdict.without_grant.length,
  };
}

function refuseBroken(verdicts: Verdict[]): void {
  for (const verdict of verdicts) {
    if (verdict.ok) continue;
    throw new CliError(
      `the ledger of ${verdict.channel} is broken at entry ${verdict.broken}: ${verdict.why}`,
      'compare it with a backup: what comes after it proves nothing',
    );
  }
  const without = verdicts.flatMap(({ without_grant }) => without_grant);
  if (without.length === 0) return;
  throw new CliError(
    `${without.length} accounts are shared, as listed, but their last ledger entry is not a grant`,
    'compare it with a backup: its end was removed, unless a farmer is saving just now',
  );
}
