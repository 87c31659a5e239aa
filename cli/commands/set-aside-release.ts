import { type Command, Option } from 'commander';
import { count } from '../../domain/count';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import type { Channel } from '../../store/channels/channels';
import { askerWith } from '../asker';
import { CliError, EXIT } from '../cli-error';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { controlParts } from '../control-parts';
import { note, printJson } from '../print';

interface Options {
  entity?: EntityType;
  all?: true;
  reason?: string | null;
  yes?: true;
  json?: true;
}

export function setAsideReleaseCommand(group: Command, connections: Connections): void {
  group
    .command('release')
    .description('send records that were set aside again, one by one')
    .argument('<channel>', 'its slug')
    .argument('[ids...]', 'records, as `gdx set-aside <channel>` lists them')
    .addOption(new Option('--entity <type>', 'only of this entity type').choices(ENTITY_TYPES))
    .option('--all', 'every record of the channel that is set aside')
    .option('--yes', 'do not ask before --all')
    .action(async (slug: string, ids: string[], { entity, all, reason = null, yes, json }: Options) => {
      if ((ids.length === 0) === !all)
        throw new CliError('name the records, or give --all', `gdx set-aside ${slug} lists them`, EXIT.usage);
      const { release } = await import('../../control/release.js');
      const { parts, channel } = await controlParts(connections, slug);
      if (all && !yes && !json) await confirmAll(channel, entity);
      const types = entity ? [entity] : ENTITY_TYPES;
      const chosen = new Map(types.map((type) => [type, all ? ('all' as const) : ids]));
      const { released, outcome } = (await release(parts, channel, chosen, askerWith(reason)))!;
      if (released === 0)
        throw new CliError('none of these is set aside', `gdx set-aside ${slug} lists what is`);
      note(outcome);
      if (json) return printJson({ released });
      process.stdout.write(`released ${count(released, 'record')} to ${channel.name}\n`);
    });

  async function confirmAll(
    { _id: slug, name }: Channel,
    entity_type: EntityType | undefined,
  ): Promise<void> {
    const { listSetAside } = await import('../../store/deliveries/set-aside.js');
    const { length } = await listSetAside(await connections.store(), slug, { entity_type });
    if (length > 0)
      await confirm(`This sends ${count(length, 'record')} that ${name} has refused again. Continue?`);
  }
}
