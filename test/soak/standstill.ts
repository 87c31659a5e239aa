import path from 'node:path';
import { findTemporal } from '../../tools/local/find-temporal';
import { channelWorkflowId } from '../../workflows/messages';
import type { Scene } from '../faults/scene';
import { runNode, runProgram } from '../setup/processes';

// The worst of the faults, an emptied Temporal, is over within 90 s.
const TOO_LONG_MS = 120_000;
const AGAIN_MS = 120_000;

/** Notices that pushes are answered and no customer gets anything, and asks an operator's commands why. */
export class Standstill {
  private pages = 0;
  private answered = 0;
  private since = Date.now();
  private askAt = 0;
  private readonly found: string[] = [];

  constructor(private readonly say: (line: string) => void) {}

  look(scene: Scene): void {
    const pages = scene.customers.reduce((sum, customer) => sum + customer.pages.length, 0);
    const answered = scene.erps.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    const now = Date.now();
    if (pages > this.pages || this.answered === 0) {
      [this.pages, this.answered, this.since, this.askAt] = [pages, answered, now, now + TOO_LONG_MS];
      return;
    }
    if (now < this.askAt || answered === this.answered) return;
    this.askAt = now + AGAIN_MS;
    const seconds = Math.round((now - this.since) / 1_000);
    const line = `for ${seconds} s no customer got a page, while pushes were answered`;
    this.found.push(line);
    void ask(scene).then(
      (answers) => this.say(`${new Date(now).toISOString()}: ${line}\n${answers}`),
      (error: Error) => this.say(`${line}; ${error.message}`),
    );
  }

  broken(): string[] {
    return this.found.slice(-1);
  }
}

/** What `gdx doctor` finds, and what Temporal says of each channel's workflow. */
async function ask({ settings, customers }: Scene): Promise<string> {
  const env = { ...process.env, ...settings };
  const { command, args } = await findTemporal(() => undefined);
  const of = ['--address', settings.TEMPORAL_ADDRESS!, '--namespace', settings.TEMPORAL_NAMESPACE!];
  const temporal = (...what: string[]) => runProgram(command, [...args, 'workflow', ...what, ...of], env);
  const slugs = new Set(
    customers.flatMap(({ pages }) => pages.map(({ headers }) => headers['x-channel-slug'])),
  );
  const answers = await Promise.all([
    runNode([path.join('dist', 'cli', 'main.js'), 'doctor'], env),
    temporal('list', '--query', 'ExecutionStatus="Running"'),
    ...[...slugs].map((slug) => temporal('describe', '--workflow-id', channelWorkflowId(String(slug)))),
  ]);
  return answers.map(({ out, err }) => `${out}${err}`).join('\n');
}
