import type { Command } from 'commander';
import type { OperatorAction } from '../../store/callers/operator-actions';
import type { Connections } from '../connections';
import { formatCell, note, printJson, printTable } from '../print';
import { MAX_LIMIT, parseLimit } from '../parse-options';

interface Options {
  channel?: string;
  limit: number;
  json?: true;
}

export function actionsCommand(program: Command, connections: Connections): void {
  program
    .command('actions')
    .description('what operators changed, and customers through the API, newest first')
    .option('--channel <channel>', 'only what concerns this one')
    .option('--limit <count>', `how many, at most ${MAX_LIMIT}`, parseLimit, 50)
    .action(async ({ channel, limit, json }: Options) => {
      const { listActions } = await import('../../store/callers/operator-actions.js');
      const found = await listActions(await connections.store(), channel, limit);
      if (json) return printJson({ data: found.map(shown) });
      if (found.length === 0) note('Nothing was changed yet.');
      printTable(found.map(row));
    });
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
  before: before && Object.entries(before).map(([name, value]) => `${name}: ${formatCell(value)}`),
  reason,
  outcome: outcome ?? 'not finished: look whether it holds',
});
