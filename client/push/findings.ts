import { formatCount } from '../print';
import { type FileLocation, FileProblem } from '../file-problem';

const SHOWN_PLACES = 5;
const SHOWN_CAUSES = 20;
const LONGEST_VALUE = 60;

/** Counts the values of a column that were read. */
export interface Tally {
  name: string;
  values: number;
  /** Dates that fit two forms of the mapping with different outcomes. */
  fitTwo: number;
}

interface Problem {
  /** Of one value of a column and of several, to follow their number; of anything else the whole message. */
  problem: string | readonly [one: string, several: string];
  advice: string;
  /** It is remarked, and the file is pushed. */
  isPassed?: boolean;
}

interface Cause extends Problem {
  tally: Tally | undefined;
  count: number;
  column: number | undefined;
  places: string[];
  /** The distinct values among the places. */
  values: Set<string>;
  line: number;
}

const shown = (value: string) =>
  `\`${value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}...` : value}\``;

/** The problems of a file. Each cause is listed once, however many cells have it. */
export class Findings {
  private readonly causes = new Map<string, Cause>();
  private readonly tallies = new Map<string, Tally>();
  /** The number of problems of all causes. */
  count = 0;
  /** The number of values that were passed over with a remark. */
  passed = 0;

  /** The tally of a column for one way of reading it. */
  tally(name: string, way: string): Tally {
    const known = this.tallies.get(`${name} ${way}`) ?? { name, values: 0, fitTwo: 0 };
    this.tallies.set(`${name} ${way}`, known);
    return known;
  }

  /**
   * Notes a problem.
   * @param key problems with the same one are counted as one, and the first is said
   * @param tally of the column, for one of its values that cannot be read
   */
  add(key: string, problem: Problem, { line, column }: FileLocation, value?: string, tally?: Tally): void {
    const place =
      value === undefined ? `line ${formatCount(line)}` : `line ${formatCount(line)}: ${shown(value)}`;
    if (problem.isPassed) this.passed++;
    else this.count++;
    const of = { ...problem, tally, column, line };
    const cause: Cause = this.causes.get(key) ?? { ...of, count: 0, places: [], values: new Set() };
    this.causes.set(key, cause);
    cause.count++;
    const isNew = value !== undefined && !cause.values.has(value) && cause.places.length < 2 * SHOWN_PLACES;
    if (cause.places.length < SHOWN_PLACES || isNew) cause.places.push(place);
    if (value !== undefined && isNew) cause.values.add(value);
  }

  /** All problems, in the order of the file. */
  problems(): FileProblem[] {
    const causes = [...this.causes.values()]
      .filter(({ isPassed }) => !isPassed)
      .sort((one, other) => one.line - other.line);
    const problems = causes
      .slice(0, SHOWN_CAUSES)
      .map((cause) => new FileProblem(undefined, sayCause(cause), true));
    const more = causes.length - problems.length;
    return more > 0 ? [...problems, new FileProblem(undefined, `${more} more causes`)] : problems;
  }

  /** Remarks for the reader of the report. They are not problems. */
  remarks(): string[] {
    const passed = [...this.causes.values()].filter(({ isPassed }) => isPassed).map(sayCause);
    const fitTwo = [...this.tallies.values()]
      .filter(({ fitTwo }) => fitTwo > 0)
      .map(
        ({ name, values, fitTwo }) =>
          `\`${name}\`: ${fitTwo} of ${formatCount(values)} dates fit two forms of "dates", and are read by the first`,
      );
    return [...passed, ...fitTwo];
  }
}

function sayCause({ tally, problem, advice, count, column, places }: Cause): string {
  const said = typeof problem === 'string' ? problem : problem[count === 1 ? 0 : 1];
  const what = tally
    ? `\`${tally.name}\`: ${formatCount(count)} of ${formatCount(tally.values)} values ${said}`
    : `${said}${count === 1 ? '' : ` (${formatCount(count)} times)`}`;
  const at = `${places.length > 1 ? 'first ' : ''}${places.join(', ')}`;
  const first = tally && places.length === 1 ? `first ${at}` : at;
  return `${what}, ${first}${column === undefined ? '' : ` (column ${column})`}; ${advice}`;
}
