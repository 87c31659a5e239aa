import { formatTable } from '../../cli/print';

const LONGEST = 200;

/** What was looked at, and what came of it. */
export class Findings {
  private readonly rows: { holds: 'yes' | 'NO'; what: string; came: string }[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /** @param look says what it saw; throws when it does not hold. One that does not hold does not stop the rest. */
  async that(what: string, look: () => Promise<string>): Promise<void> {
    const row = await look().then(
      (came) => ({ holds: 'yes', what, came }) as const,
      ({ message }: Error) =>
        ({ holds: 'NO', what, came: message.trim().replaceAll(/\s+/g, ' ').slice(0, LONGEST) }) as const,
    );
    this.rows.push(row);
    this.say(`${row.holds === 'yes' ? 'ok    ' : 'FAILED'} ${what}: ${row.came}`);
  }

  get allHold(): boolean {
    return this.rows.every(({ holds }) => holds === 'yes');
  }

  table(): string {
    return formatTable(this.rows);
  }
}
