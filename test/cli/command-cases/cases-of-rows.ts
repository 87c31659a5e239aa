import { ENTITY_TYPES } from '../../../domain/records/entity-types';
import { raiseCounters } from '../../../store/schema/counters-ahead';
import type { DeedCase } from '../../control/deed-cases';
import type { ListCase } from '../../control/list-cases';
import type { CommandCase } from './command-case';

type Named = [words: string, of: CommandCase];

/** `channel pause @ --reason x` as the words of the command, and its arguments for a channel. */
function taken(gdx: string): [words: string, args: (slug: string) => string[]] {
  const [words = '', args = ''] = gdx.split(/ (?=@)/);
  return [words, (slug) => args.replace('@', slug).split(' ')];
}

const NOBODY = { exitCode: 1, says: /there is no channel nobody; / };

/** The case of a deed's command. */
export function caseOfDeed({ deed, gdx, prints, prepare, settings, recorded }: DeedCase): Named[] {
  if (!gdx || !prints) return [];
  const [words, args] = taken(gdx);
  const why = deed.gdx?.reason ? ['--reason', 'because'] : [];
  const of: CommandCase = {
    async prepare(scene) {
      const slug = await scene.addChannel(settings);
      await prepare?.(scene.store, slug);
      await raiseCounters(scene.store); // records and markers are put there without a push
      return [...args(slug), ...why];
    },
    table: { says: prints.table, recorded },
    json: { holds: prints.json },
    error: { args: [...args('nobody'), ...why], ...NOBODY },
  };
  return [[words, of]];
}

/** The case of a list's command. */
export function caseOfList({ gdx, plant, line }: ListCase): Named {
  const [words, args] = taken(gdx);
  const of: CommandCase = {
    async prepare(scene) {
      const slug = await scene.addChannel({ companies: [], entity_types: [...ENTITY_TYPES] });
      await plant(scene.store, slug);
      await raiseCounters(scene.store);
      return args(slug);
    },
    table: { says: line },
    json: { holds: { data: expect.any(Array) } }, // each of its members: test/control/lists.test.ts
    error: { args: args('nobody'), ...NOBODY },
  };
  return [words, of];
}
