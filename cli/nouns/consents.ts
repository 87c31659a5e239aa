import type { Command } from 'commander';
import { listChannels, listClosed } from '../../store/channels/channels';
import { listWithoutGrant } from '../../store/consent/consents';
import { type ChainVerdict, verifyConsents } from '../../store/consent/verify-consents';
import { readLedgerKeys } from '../../store/secrets/ledger-keys';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { formatTable } from '../../client/print';
import { collectHead, type HeadsByChannel, readHeads } from '../read-heads';
import { channelEvenClosed } from '../require-stored';

type Verdict = ChainVerdict & {
  channel: string;
  /** Subscriptions whose last ledger entry is not a grant. */
  without_grant: { channel: string; partner_id: string; account: string }[];
};

interface Options {
  head?: HeadsByChannel;
  heads?: string;
}

export function consentsCommands(consents: Command, { reads }: Envelope): void {
  reads(
    consents
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
      .option(
        '--heads <file>',
        'a file with such heads, such as the log of what the alerts posted; - is standard input',
      )
      .option('--json', 'one JSON document on stdout; names the public keys too'),
    verify,
  );
}

async function verify(call: Call, slug: string | undefined, { head, heads: file }: Options) {
  const kept = file === undefined ? (head ?? new Map()) : readHeads(file, head);
  const store = await call.store();
  const verdicts: Verdict[] = [];
  for (const channel of await slugs(call, slug, kept)) {
    const verdict = await verifyConsents(store, channel, kept.get(channel) ?? new Map());
    const without = await listWithoutGrant(store, channel);
    const without_grant = without.map(({ partner_id, account }) => ({ channel, partner_id, account }));
    verdicts.push({ channel, ...verdict, without_grant });
  }
  const { known } = await readLedgerKeys(store);
  const public_keys = known.map(({ id, shown }) => ({ id, ed25519: shown }));
  return {
    json: { data: verdicts.map((verdict) => ({ ...verdict, ok: holds(verdict) })), public_keys },
    text: formatTable(verdicts.map(row)) + formatTable(verdicts.flatMap((verdict) => verdict.without_grant)),
    error: whatIsBroken(verdicts),
  };
}

async function slugs(call: Call, slug: string | undefined, kept: HeadsByChannel): Promise<string[]> {
  if (slug !== undefined) return [(await channelEvenClosed(call, slug))._id];
  const store = await call.store();
  const there = [...(await listChannels(store)), ...(await listClosed(store))].map(({ _id }) => _id);
  return [...new Set([...there, ...kept.keys()])]; // a removed channel had a ledger as well
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

function whatIsBroken(verdicts: Verdict[]): CliError | undefined {
  const broken = verdicts.find((verdict) => !verdict.ok);
  if (broken)
    return new CliError(
      `the ledger of ${broken.channel} is broken at entry ${broken.broken}: ${broken.why}`,
      'compare the ledger with a backup: entries after the broken one prove nothing',
    );
  const without = verdicts.flatMap(({ without_grant }) => without_grant);
  if (without.length === 0) return undefined;
  return new CliError(
    `${without.length} accounts are shared, as listed, but their last ledger entry is not a grant`,
    'compare the ledger with a backup: its end was removed, unless a farmer is saving just now',
  );
}
