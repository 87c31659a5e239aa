import { type Command, Option } from 'commander';
import { MAX_LIMIT, parseLimit } from '../client/parse-options';
import type { Cell } from '../client/print';
import { type AnyList, membersOf } from '../control/list';
import type { Envelope } from './envelope';
import { channelEvenClosed } from './require-stored';

/** Adds the command of a list. @param command with its words */
export function listCommand(command: Command, row: AnyList, { reads }: Envelope): void {
  const { says, limit, columns, none } = row.gdx;
  if (says) command.description(says);
  command.argument('<channel>', 'its slug');
  const options = Object.entries(row.filters).map(([name, { flags, says: only, kinds }]) => {
    const option = new Option(flags, only).choices(kinds);
    command.addOption(option);
    return [name, option.attributeName()] as const;
  });
  if (limit) command.option('--limit <count>', `how many, at most ${MAX_LIMIT}`, parseLimit, limit);
  reads(command, async (call, slug: string, given: Record<string, unknown> & { limit: number }) => {
    const channel = await channelEvenClosed(call, slug);
    const asked = Object.fromEntries(options.map(([name, attribute]) => [name, given[attribute]]));
    const found: object[] = await row.find(await call.store(), channel, { ...asked, limit: given.limit });
    const data = found.map((one) => membersOf(row, one, 'operator'));
    const table = found.map((one, index) =>
      Object.fromEntries(
        Object.entries(columns).map(([title, of]) => [title, of === true ? data[index]![title] : of(one)]),
      ),
    );
    return { json: { data }, table: table as Record<string, Cell>[], ...(none && { none }) };
  });
}
