import type { Command } from 'commander';
import { listActions, type OperatorAction } from '../../store/callers/operator-actions';
import { formatActionHead } from '../../store/consent/action-chain';
import { type ActionsVerdict, verifyActions } from '../../store/consent/verify-actions';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { MAX_LIMIT, parseLimit } from '../../client/parse-options';
import { formatTable, sayBefore } from '../../client/print';
import { readActionHeads } from '../read-heads';

export function actionsCommands(actions: Command, { reads }: Envelope): void {
  reads(
    actions
      .command('verify')
      .description('name what operators did that was changed, removed or inserted later')
      .option(
        '--heads <file>',
        'a file with the heads that were posted, such as their log; - is standard input',
      ),
    verify,
  );
  reads(
    actions
      .option('--channel <channel>', 'only what concerns this one')
      .option('--limit <count>', `how many, at most ${MAX_LIMIT}`, parseLimit, 50),
    async ({ store }, { channel, limit }: { channel?: string; limit: number }) => {
      const found = await listActions(await store(), channel, limit);
      const none = 'Nothing was changed yet.';
      return { json: { data: found.map(shown) }, table: found.map(row), none };
    },
  );
}

async function verify(call: Call, { heads: file }: { heads?: string }) {
  const heads = file === undefined ? new Map<number, string>() : readActionHeads(file);
  const { head, ...verdict } = await verifyActions(await call.store(), heads);
  const posted = head === null ? null : formatActionHead({ _id: verdict.links, hash: head });
  const { links, unlinked, broken, late } = verdict;
  const facts = {
    holds: broken.length === 0,
    links,
    head: posted,
    unlinked,
    broken: broken.length,
    late: late.length,
  };
  const named = [...broken.map((one) => ({ ...one })), ...late.map((id) => ({ id, why: LATE }))];
  return {
    json: { ...facts, broken, late },
    text: formatTable([facts]) + formatTable(named),
    error: whatIsBroken(verdict.broken),
  };
}

const LATE = 'it was linked over an hour after its date: inserted later, unless no worker ran';

function whatIsBroken([first, ...others]: ActionsVerdict['broken']): CliError | undefined {
  if (!first) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more are broken` : '';
  return new CliError(`${first.id}: ${first.why}${more}`, 'compare the actions with a backup');
}

function shown({ _id: id, expires_at: _, erased: __, ...action }: OperatorAction) {
  return { id, ...action, before: action.before ?? null };
}

const row = ({ at, by, via, action, channel, about, reason, before, outcome }: OperatorAction) => ({
  at,
  by,
  via,
  action,
  channel,
  about,
  before: before && sayBefore(before),
  reason,
  outcome: outcome ?? 'not finished: look whether it holds',
});
