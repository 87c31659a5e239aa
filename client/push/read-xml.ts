import { FileProblem } from '../file-problem';
import { listIn } from './find-list';
import { hear } from './open-workbook';
import { TEXT } from './read-json';
import type { JsonValue } from './read-objects';

// A larger record means that "property" names an element around the records.
const MOST_CHARACTERS = 1024 * 1024;
const MOST_DEPTH = 32;

/** Attributes with @ before their names, and elements by name: a list where one comes again. */
type Element = Record<string, unknown>;

// Without a prototype a file may name any member.
const elementOf = (attributes: Record<string, string>): Element => {
  const element: Element = Object.create(null);
  for (const [key, value] of Object.entries(attributes)) element[`@${key}`] = value;
  return element;
};

/** How long a tag is in the file at the least: `<a/>` and ` a="1"` have signs beside names and values. */
const lengthOf = (name: string, attributes: Record<string, string>): number =>
  Object.entries(attributes).reduce(
    (sum, [key, value]) => sum + key.length + value.length + 4,
    name.length + 3,
  );

/**
 * Reads the records of an XML file as those of JSON are read. Prefixes of names are left out, and an element with text
 * alone is its text.
 * @param property where the records are: `Export.Tickets.Ticket[]`
 * @throws FileProblem
 */
export async function* readXml(bytes: AsyncIterable<Buffer>, property?: string): AsyncGenerator<JsonValue> {
  if (property === undefined) return refuseWithout(bytes);
  const scan = new XmlScan(property.split('.'));
  for await (const _ of hear(decoded(bytes), scan, 'the XML')) yield* scan.found.splice(0);
  yield* scan.found;
}

async function refuseWithout(bytes: AsyncIterable<Buffer>): Promise<never> {
  const property = (await recordsIn(bytes)) ?? 'Export.Tickets.Ticket[]';
  throw new FileProblem(
    { line: 1 },
    `the records of XML are named by "property" in the "dialect", such as ${JSON.stringify(property)}`,
  );
}

/** Where the records of a file are, by its beginning. */
export async function recordsIn(bytes: AsyncIterable<Buffer>): Promise<string | undefined> {
  const scan = new XmlScan([]);
  try {
    for await (const _ of hear(decoded(bytes), scan, 'the XML')) if (scan.isLong) break;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
  }
  return listIn(scan.rest());
}

class XmlScan {
  readonly found: JsonValue[] = [];
  private readonly names: string[];
  private readonly open_: { name: string; element: Element; text: string }[] = [];
  /** How many of the open elements lead to the records, and the index of each among those of its name. */
  private way = 0;
  private readonly indexes: number[] = [];
  private readonly whole = elementOf({});
  private line = 1;
  private size = 0;

  constructor(private readonly steps: readonly string[]) {
    this.names = steps.map((step) => step.replace(/\[\]$/, ''));
  }

  get isLong(): boolean {
    return this.size > MOST_CHARACTERS;
  }

  open(name: string, attributes: Record<string, string>, line: number): void {
    const depth = this.open_.length;
    if (depth === MOST_DEPTH) throw new FileProblem({ line }, `nested more than ${MOST_DEPTH} levels deep`);
    if (depth === 0 && this.steps.length > 0 && name !== this.names[0])
      throw new FileProblem({ line }, `"property" begins with ${this.names[0]}, and the file with ${name}`);
    this.open_.push({ name, element: elementOf(attributes), text: '' });
    if (depth === this.way && name === this.names[depth]) this.goOn(depth, line);
    if (!this.encloses(depth + 1)) this.count(lengthOf(name, attributes));
  }

  private goOn(depth: number, line: number): void {
    this.way++;
    this.indexes[depth] = (this.indexes[depth] ?? -1) + 1;
    this.indexes.length = this.way;
    [this.line, this.size] = [line, 0];
  }

  private count(characters: number): void {
    this.size += characters;
    if (this.isLong && this.way === this.steps.length && this.way > 0)
      throw new FileProblem(
        { line: this.line },
        'a record of more than 1 MiB: are the records deeper in the file?',
      );
  }

  text(text: string): void {
    const last = this.open_.at(-1);
    if (!last || this.encloses(this.open_.length)) return;
    this.count(text.length);
    if (!this.isLong) last.text += text;
  }

  close(): void {
    const depth = this.open_.length;
    const { name, element, text } = this.open_.pop()!;
    const plain = text.trim();
    const isPlain = Object.keys(element).length === 0;
    const value = plain === '' && !isPlain ? element : { ...element, [TEXT]: plain };
    if (depth > this.way) {
      if (!this.isLong || depth === 1)
        addTo(this.open_.at(-1)?.element ?? this.whole, name, isPlain ? plain : value);
      if (this.encloses(depth - 1)) this.size = 0;
      return;
    }
    const [line, at] = [this.line, this.at(depth)];
    const path = this.steps.slice(0, depth).join('.');
    if (depth === this.steps.length) this.found.push({ line, at, value });
    else
      for (const [key, member] of Object.entries(element))
        this.found.push({ line, at, path: `${path}.${key}`, value: member });
    this.way--;
  }

  /** What was read of a file whose end was not. */
  rest(): Element {
    this.size = 0; // so that the lists which are still open are kept
    while (this.open_.length > 0) this.close();
    return this.whole;
  }

  private encloses = (depth: number) => depth === this.way && depth < this.steps.length;

  /** The index in each list up to this depth. */
  private at = (depth: number) =>
    this.indexes.filter((_, index) => index < depth && this.steps[index]!.endsWith('[]'));
}

function addTo(element: Element, name: string, value: unknown): void {
  const before = element[name];
  if (before === undefined) element[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else element[name] = [before, value];
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
}

/** The encoding that XML says at its beginning; undefined for UTF-8 and UTF-16, which are known without it. */
export function encodingIn(head: Buffer): string | undefined {
  const said = /^\s*<\?xml[^>]*encoding=["']([\w.:-]+)["']/.exec(head.toString('latin1', 0, 200))?.[1];
  return said && /^utf-?(8|16)/i.test(said) ? undefined : said;
}
