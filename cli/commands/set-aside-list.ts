import { type Command, Option } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';
import { channelNamed } from '../require-stored';

interface Options {
  entity?: EntityType;
  json?: true;
}

/** Also the default of `gdx set-aside <channel>`. */
export function setAsideListCommand(group: Command, connections: Connections): void {
  group
    .command('list', { isDefault: true })
    .description('records that a customer refused, with its responses')
    .argument('<channel>', 'its slug')
    .addOption(new Option('--entity <type>', 'only of this entity type').choices(ENTITY_TYPES))
    .action(async (slug: string, { entity, json }: Options) => {
      const { listSetAside } = await import('../../store/deliveries/set-aside.js');
      const store = await connections.store();
      await channelNamed(connections, slug);
      const kept = await listSetAside(store, slug, { entity_type: entity });
      const rows = kept.map(({ entity_type, record, status, failure, at, released_at, answer }) => ({
        entity_type,
        record,
        status: status || null,
        failure,
        at,
        released_at: released_at ?? null,
        answer,
      }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0) return note(`Nothing is set aside: ${slug} took every record it was sent.`);
      printTable(rows.map((row) => ({ ...row, answer: inOneLine(row.answer) })));
    });
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 80);
