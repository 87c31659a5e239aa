import { type Command, Option } from 'commander';
import { releaseRecords } from '../../control/release';
import { count } from '../../domain/records/count';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Channel } from '../../store/channels/channels';
import { listSetAside } from '../../store/deliveries/set-aside';
import { CliError, UsageError } from '../../client/cli-error';
import { type Call, controlParts, type Envelope } from '../envelope';
import { note } from '../../client/print';
import { channelNamed } from '../require-stored';

const entityOption = () => new Option('--entity <type>', 'only of this entity type').choices(ENTITY_TYPES);

interface Options {
  entity?: EntityType;
  all?: true;
}

export function setAsideCommands(setAside: Command, { reads, changes }: Envelope): void {
  reads(
    setAside
      .command('list', { isDefault: true }) // so `gdx set-aside <channel>` lists as well
      .description('records that a customer refused, with its responses')
      .argument('<channel>', 'its slug')
      .addOption(entityOption()),
    async (call, slug: string, { entity }: Options) => {
      await channelNamed(call, slug);
      const kept = await listSetAside(await call.store(), slug, { entity_type: entity });
      const data = kept.map(({ entity_type, record, status, failure, at, released_at, answer }) => ({
        entity_type,
        record,
        status: status || null,
        failure,
        at,
        released_at: released_at ?? null,
        answer,
      }));
      const none = `No record is set aside for ${slug}.`;
      return {
        json: { data },
        table: data.map((row) => ({ ...row, answer: inOneLine(row.answer) })),
        none,
      };
    },
  );

  changes(
    setAside
      .command('release')
      .description('send records that were set aside again, one by one')
      .argument('<channel>', 'its slug')
      .argument('[ids...]', 'records, as `gdx set-aside <channel>` lists them')
      .addOption(entityOption())
      .option('--all', 'every record of the channel that is set aside')
      .option('--yes', 'do not ask before --all'),
    async (call, slug: string, ids: string[], { entity, all }: Options) => {
      if ((ids.length === 0) === !all)
        throw new UsageError('name the records, or give --all', `gdx set-aside ${slug} lists them`);
      const { parts, channel } = await controlParts(call, slug);
      if (all) await confirmAll(call, channel, entity);
      const types = entity ? [entity] : ENTITY_TYPES;
      const chosen = new Map(types.map((type) => [type, all ? ('all' as const) : ids]));
      const { released, outcome } = (await releaseRecords(parts, channel, chosen, call.asker))!;
      if (released === 0)
        throw new CliError('none of these is set aside', `gdx set-aside ${slug} lists what is`);
      note(outcome);
      return { json: { released }, text: `released ${count(released, 'record')} to ${channel.name}\n` };
    },
  );
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 80);

async function confirmAll(
  { store, confirm }: Call,
  { _id: slug, name }: Channel,
  entity_type: EntityType | undefined,
): Promise<void> {
  const { length } = await listSetAside(await store(), slug, { entity_type });
  if (length > 0)
    await confirm(`This sends ${count(length, 'record')} that ${name} has refused again. Continue?`);
}
