/** Where in a file something is, counted from 1. */
export interface FileLocation {
  line: number;
  column?: number | undefined;
  /** The name of a CSV column or of a member. */
  name?: string | undefined;
}

/** Something in a file that keeps it from being pushed: "line 7, column 3 (Net Lbs): must be ...". */
export class FileProblem extends Error {
  override name = 'FileProblem';

  constructor(
    readonly place: FileLocation,
    readonly problem: string,
  ) {
    super(`${sayLocation(place)}: ${problem}`);
  }
}

export function sayLocation({ line, column, name }: FileLocation): string {
  const at = column === undefined ? '' : `, column ${column}`;
  return `line ${line.toLocaleString('en-US')}${at}${name === undefined ? '' : ` (${name})`}`;
}
