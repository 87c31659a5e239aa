import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FOLDER, shortHash, writeWhole } from './checkpoint';
import { hashesOf, IdSet } from './id-set';
import type { Mapping } from './mapping-schema';

const MOST_PLACES = 255;
const SHOWN = 3;

/**
 * The place that each id of a type was last pushed from, and a hash of what it had. Two sheets or files of two sites that
 * number their tickets alike overwrite each other's, which no single file shows.
 */
export class Origins {
  private readonly shared = new Map<string, { count: number; ids: string[] }>();
  private readonly own: number;

  private constructor(
    private readonly at: string,
    private readonly places: string[],
    private readonly ids: IdSet,
    place: string,
  ) {
    if (!places.includes(place)) places.push(place);
    this.own = places.indexOf(place) + 1;
  }

  static async read(file: string, { type, dialect = {} }: Mapping, target: string): Promise<Origins> {
    const at = path.join(path.dirname(file), FOLDER, `origins-${type}-${shortHash(target)}`);
    const bytes = await readFile(at).catch(() => undefined); // without it nothing is said
    const end = bytes?.indexOf('\n') ?? -1;
    const places = end < 0 ? [] : (JSON.parse(bytes!.toString('utf8', 0, end)) as string[]);
    const ids = places.length < MOST_PLACES && end >= 0 ? IdSet.of(bytes!.subarray(end + 1)) : new IdSet();
    const { sheet_name, property } = dialect;
    const place = [path.basename(file), sheet_name, property].filter(Boolean).join(' ');
    return new Origins(at, places.length < MOST_PLACES ? places : [], ids, place);
  }

  see(id: string, text: string): void {
    const content = hashesOf(text)[0] >>> 8;
    const before = this.ids.mark(id, ((content << 8) | this.own) >>> 0);
    if (before === 0 || (before & 255) === this.own || before >>> 8 === content) return;
    const place = this.places[(before & 255) - 1] ?? '';
    const found = this.shared.get(place) ?? { count: 0, ids: [] };
    this.shared.set(place, found);
    if (++found.count <= SHOWN) found.ids.push(id);
  }

  remarks = (): string[] =>
    [...this.shared].map(
      ([place, { count, ids }]) =>
        `${count} of its ids ${count === 1 ? 'was' : 'were'} pushed from ${place} with other content: ${ids.join(', ')}${count > SHOWN ? ', ...' : ''}. If they are others of the same number, make the site a part of "id": { "from": [{ "value": "100" }, ...] }`,
    );

  keep = (): Promise<void> =>
    writeWhole(this.at, Buffer.concat([Buffer.from(`${JSON.stringify(this.places)}\n`), this.ids.bytes()]));
}
