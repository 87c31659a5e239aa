import type { RecordType } from '../../domain/records/commands';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { CliError } from '../../client/cli-error';

interface SampleRecord {
  id: string;
  updated_at?: string;
}

interface Chance {
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

/** The parts of tools/sample that the command needs. */
export interface Sample {
  generateCompany(options: object): Record<RecordType, SampleRecord[]>;
  changeRecord(type: EntityType, record: SampleRecord, random: Chance): SampleRecord;
  Random: new (seed: string) => Chance;
}

type Item = [type: RecordType, record: SampleRecord];

const COMPANY = { seed: 2026, accounts: 40, tickets: 5_000 };
const DELETED = 0.1;

export type Harvest = ReturnType<typeof createHarvest>;

/**
 * A company's harvest in the order in which its ERP would push it: first elevators, accounts and contracts together, then
 * tickets and settlements as they happen.
 * @param stored ids that were pushed before: the harvest continues after them
 */
export function createHarvest(sample: Sample, stored: Record<EntityType, Set<string>>, seed: string) {
  const random = new sample.Random(seed);
  const company = sample.generateCompany(COMPANY);
  const isNew = ([type, { id }]: Item) => type === 'elevators' || !stored[type].has(id);
  const itemsOf = (type: RecordType) => company[type].map((record): Item => [type, record]);
  const base = (['elevators', 'accounts', 'contracts'] as const).flatMap(itemsOf).filter(isNew);
  const happening = [...itemsOf('tickets'), ...itemsOf('settlements')].sort(byTime).filter(isNew);
  const known = ENTITY_TYPES.flatMap(itemsOf).filter((item) => !isNew(item));
  return {
    total: happening.length,
    /** The records that are there before the harvest. */
    base,
    left: () => happening.length,
    /** The next `count` records and a change to an earlier one; after the harvest, changes only. */
    next(count: number): Item[] {
      const next = happening.splice(0, count);
      const changes = Math.max(1, count - next.length);
      const changed =
        known.length === 0 ? [] : Array.from({ length: changes }, () => change(random.pick(known)));
      return [...next, ...changed];
    },
    /** The records are stored: they may change from now on. */
    pushed: (items: Item[]) => known.push(...items.filter(([type]) => type !== 'elevators')),
  };

  function change([type, record]: Item): Item {
    const later = sample.changeRecord(type as EntityType, record, random);
    const isGone = type === 'tickets' && random.chance(DELETED);
    return [type, isGone ? { ...later, deleted_at: later.updated_at } : later] as Item;
  }
}

const byTime = ([, one]: Item, [, other]: Item) => (one.updated_at! < other.updated_at! ? -1 : 1);

/** @returns the body of a push */
export function bodyOf(items: Item[]): Buffer {
  const types = [...new Set(items.map(([type]) => type))];
  const data = types.map((type) => ({
    [`update-${type}`]: { [type]: items.filter(([of]) => of === type).map(([, record]) => record) },
  }));
  return Buffer.from(JSON.stringify({ data }));
}

/** Loads tools/sample by computed names, so that the image's build leaves it out. @throws CliError in the image */
export async function loadSample(folder = '../../tools/sample'): Promise<Sample> {
  const load = (file: string) => import(`${folder}/${file}.js`) as Promise<Partial<Sample>>;
  try {
    const files = ['generate-elevator-company', 'change-record', 'random'];
    return Object.assign({}, ...(await Promise.all(files.map(load)))) as Sample;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/MODULE_NOT_FOUND$/.test(code)) throw error;
    throw new CliError(
      'no sample data is here: the image that runs the service holds none',
      'run `npm run -s gdx -- sandbox` in a checkout, with the MONGODB_URI and settings of the service',
    );
  }
}
