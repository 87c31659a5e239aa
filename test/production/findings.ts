import { formatTable } from '../../client/print';

const LONGEST = 200;

/** What was looked at, and what came of it. */
export class Findings {
  private readonly rows: { holds: 'yes' | 'NO'; what: string; came: string }[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /** @param look says what it saw; throws when it does not hold. One that does not hold does not stop the rest. */
  async that(what: string, look: () => Promise<string>): Promise<void> {
    const { holds, came } = await look().then(
      (seen) => ({ holds: 'yes', came: seen }) as const,
      ({ message }: Error) => ({ holds: 'NO', came: message.trim().replaceAll(/\s+/g, ' ') }) as const,
    );
    this.rows.push({ holds, what, came: holds === 'yes' ? came : came.slice(0, LONGEST) });
    this.say(`${holds === 'yes' ? 'ok    ' : 'FAILED'} ${what}: ${came}`);
  }

  get allHold(): boolean {
    return this.rows.every(({ holds }) => holds === 'yes');
  }

  table(): string {
    return formatTable(this.rows);
  }
}
