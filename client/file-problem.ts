import { unseenNamed } from '../domain/text/pasted-text';

/** Where in a file something is, counted from 1. */
export interface FileLocation {
  line: number;
  column?: number | undefined;
  /** The name of a CSV column or of a member. */
  name?: string | undefined;
}

/**
 * A problem that keeps a file from being pushed: "line 7, column 3 (Net Lbs): must be ...". Without a place,
 * the problem itself says where it is.
 */
export class FileProblem extends Error {
  override name = 'FileProblem';

  constructor(
    readonly place: FileLocation | undefined,
    readonly problem: string,
    /** It ends with what to do. */
    readonly hasCure = false,
  ) {
    super(unseenNamed(place === undefined ? problem : `${sayLocation(place)}: ${problem}`));
  }

  /** What to do, which is not said twice. */
  get advice(): string {
    return `${this.hasCure ? '' : 'correct the file or the mapping, then '}run the same again`;
  }
}

export function sayLocation({ line, column, name }: FileLocation): string {
  const at = column === undefined ? '' : `, column ${column}`;
  return `line ${line.toLocaleString('en-US')}${at}${name === undefined ? '' : ` (${name})`}`;
}

/**
 * Makes the problem of a text within a file, from a message with a position in the text.
 * @param begin the place of the text in the file
 */
export function problemAt(text: string, message: string, { line, column }: { line: number; column: number }) {
  const [said = '', position] = / at position (\d+)$/.exec(message) ?? [];
  if (position === undefined) return new FileProblem({ line }, message);
  const before = text.slice(0, Number(position)).split('\n');
  const characters = Array.from(before.at(-1)!).length;
  const place = { line: line + before.length - 1, column: characters + (before.length === 1 ? column : 1) };
  return new FileProblem(place, message.slice(0, -said.length));
}
