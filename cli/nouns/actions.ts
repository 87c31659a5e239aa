import type { Command } from 'commander';
import { listActions, type OperatorAction } from '../../store/callers/operator-actions';
import type { Envelope } from '../envelope';
import { MAX_LIMIT, parseLimit } from '../parse-options';
import { sayBefore } from '../print';

export function actionsCommands(actions: Command, { reads }: Envelope): void {
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

function shown({ _id: id, expires_at: _, ...action }: OperatorAction) {
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
