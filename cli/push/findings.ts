import { formatCount } from '../print';
import { FileProblem } from '../text-file/file-problem';
import type { FileLocation } from '../text-file/file-problem';

const SHOWN_PLACES = 5;
const SHOWN_CAUSES = 20;
const LONGEST_VALUE = 60;

/** How often a column was read. */
export interface Tally {
  name: string;
  values: number;
  /** Dates that another form of the mapping would read differently. */
  fitTwo: number;
}

interface Cause {
  tally: Tally | undefined;
  problem: readonly [one: string, several: string];
  advice: string;
  count: number;
  column: number | undefined;
  places: string[];
  /** Those among the places. */
  values: Set<string>;
  line: number;
}

const shown = (value: string) =>
  `\`${value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}...` : value}\``;

/** What is wrong with a file: each cause once, however many cells have it. */
export class Findings {
  private readonly causes = new Map<string, Cause>();
  private readonly tallies = new Map<string, Tally>();
  /** Of all causes. */
  count = 0;

  /** One for each way in which a column is read. */
  tally(name: string, way: string): Tally {
    const known = this.tallies.get(`${name} ${way}`) ?? { name, values: 0, fitTwo: 0 };
    this.tallies.set(`${name} ${way}`, known);
    return known;
  }

  /** A value that cannot be taken. */
  badValue(
    tally: Tally,
    problem: Cause['problem'],
    advice: string,
    { line, column }: FileLocation,
    value: string,
  ): void {
    this.note(`${tally.name} ${problem[0]}`, { tally, problem, advice, column }, line, value);
  }

  /** Notes anything else, with its whole message. @param cause findings of one cause are counted as one */
  add(
    cause: string,
    problem: Cause['problem'],
    advice: string,
    { line, column }: FileLocation,
    value?: string,
  ): void {
    this.note(cause, { tally: undefined, problem, advice, column }, line, value);
  }

  private note(
    key: string,
    of: Pick<Cause, 'tally' | 'problem' | 'advice' | 'column'>,
    line: number,
    value: string | undefined,
  ): void {
    const place =
      value === undefined ? `line ${formatCount(line)}` : `line ${formatCount(line)}: ${shown(value)}`;
    this.count++;
    const cause = this.causes.get(key) ?? { ...of, count: 0, places: [], values: new Set(), line };
    this.causes.set(key, cause);
    cause.count++;
    const isNew = value !== undefined && !cause.values.has(value) && cause.places.length < 2 * SHOWN_PLACES;
    if (cause.places.length < SHOWN_PLACES || isNew) cause.places.push(place);
    if (value !== undefined && isNew) cause.values.add(value);
  }

  /** In the order of the file. */
  problems(): FileProblem[] {
    const causes = [...this.causes.values()].sort((one, other) => one.line - other.line);
    const problems = causes
      .slice(0, SHOWN_CAUSES)
      .map((cause) => new FileProblem(undefined, sayCause(cause)));
    const more = causes.length - problems.length;
    return more > 0 ? [...problems, new FileProblem(undefined, `${more} more causes`)] : problems;
  }

  /** Remarks for the reader of the report. They refuse nothing. */
  remarks(): string[] {
    return [...this.tallies.values()]
      .filter(({ fitTwo }) => fitTwo > 0)
      .map(
        ({ name, values, fitTwo }) =>
          `\`${name}\`: ${fitTwo} of ${formatCount(values)} dates fit two forms of "dates", and are read by the first`,
      );
  }
}

function sayCause({ tally, problem, advice, count, column, places }: Cause): string {
  const [one, several] = problem;
  const what = tally
    ? `\`${tally.name}\`: ${formatCount(count)} of ${formatCount(tally.values)} values ${count === 1 ? one : several}`
    : count === 1
      ? one
      : `${several} (${formatCount(count)} times)`;
  const at = `${places.length > 1 ? 'first ' : ''}${places.join(', ')}`;
  const first = tally && places.length === 1 ? `first ${at}` : at;
  return `${what}, ${first}${column === undefined ? '' : ` (column ${column})`}; ${advice}`;
}
