import { type Command, Option } from 'commander';
import { count } from '../../domain/count';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { keepAction } from '../keep-action';
import { note } from '../note';
import { parseText } from '../parse-text';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

interface Options {
  entity?: EntityType;
  all?: true;
  reason?: string | null;
  yes?: true;
  json?: true;
}

export function setAsideRelease(group: Command, connections: Connections): void {
  group
    .command('release')
    .description('send records that were set aside again, one by one')
    .argument('<channel>', 'its slug')
    .argument('[ids...]', 'records, as `gdx set-aside <channel>` lists them')
    .addOption(new Option('--entity <type>', 'only of this entity type').choices(ENTITY_TYPES))
    .option('--all', 'every record of the channel that is set aside')
    .option('--reason <text>', 'why, for whoever looks next', parseText)
    .option('--yes', 'do not ask before --all')
    .option('--json', 'one JSON document on stdout; does not ask either')
    .action(async (slug: string, ids: string[], { entity, all, reason = null, yes, json }: Options) => {
      if ((ids.length === 0) === !all)
        throw new Failure('name the records, or give --all', `gdx set-aside ${slug} lists them`);
      const { findChannel } = await import('../../store/channels.js');
      const { listSetAside, releaseSetAside } = await import('../../store/set-aside.js');
      const store = await connections.store();
      const channel = requireChannel(await findChannel(store, slug), slug);
      if (all && !yes && !json) {
        const { length } = await listSetAside(store, slug, { entity_type: entity });
        const refused = `${count(length, 'record')} that ${channel.name} has refused`;
        if (length > 0) await confirm(`This sends ${refused} again. Go on?`);
      }
      const released = await releaseSetAside(store, slug, { entity_type: entity, records: ids });
      if (released === 0)
        throw new Failure('none of these is set aside', `gdx set-aside ${slug} lists what is`);
      const heard = await (await connections.bell()).settingsChanged(slug, 'released');
      if (!heard) note('Temporal does not answer: they go out with the next run.');
      else if (channel.state === 'paused')
        note(`The channel is paused: \`gdx channel resume ${slug}\` sends them.`);
      const outcome = `released ${released}`;
      await keepAction(connections, { channel: slug, action: 'release', reason, outcome });
      if (json) return printJson({ released });
      process.stdout.write(`released ${count(released, 'record')} to ${channel.name}\n`);
    });
}
