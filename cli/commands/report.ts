import { type Command, InvalidArgumentError, Option } from 'commander';
import { writeFile } from 'node:fs/promises';
import { SUCCESS_DAYS } from '../../store/deliveries/deliveries';
import type { Connections } from '../connections';
import { EXIT } from '../exit-codes';
import { CliError } from '../cli-error';
import { fileRefused } from '../file-refused';
import { printFacts, printJson } from '../print';
import type { ReportFigures } from '../report/figures';
import { channelNamed } from '../require-stored';

const DAY_MS = 24 * 3_600_000;
const UNITS = { h: DAY_MS / 24, d: DAY_MS } as const;
// Of what is older only failures are kept (docs/contract.md O14): its totals would be wrong.
const SPANS = `1h to ${SUCCESS_DAYS}d`;

interface Options {
  /** Where the page goes; `true`: to stdout. */
  html?: string | true;
  since: number;
  json?: true;
}

export function reportCommand(program: Command, connections: Connections): void {
  program
    .command('report')
    .description('what a customer got lately, on one page for its manager or in figures')
    .argument('<channel>', 'its slug')
    .option(
      '--html [file]',
      'the page, which needs nothing else; no file named: on stdout, instead of the figures',
    )
    .addOption(new Option('--since <span>', SPANS).argParser(parseSpan).default(7 * DAY_MS, '7d'))
    .action(async (slug: string, { html, since, json }: Options) => {
      if (html === true && json)
        throw new CliError('the page and the JSON cannot both go to stdout', 'name a file', EXIT.usage);
      const { readReport } = await import('../report/read-report.js');
      const { figuresOf } = await import('../report/figures.js');
      const store = await connections.store();
      const channel = await channelNamed(connections, slug);
      const now = new Date();
      const read = await readReport(store, channel, new Date(now.getTime() - since), now);
      const figures = figuresOf(read);
      if (html !== undefined) {
        const { renderReport } = await import('../report/render-report.js');
        const page = renderReport(read, figures);
        if (html === true) return void process.stdout.write(page);
        await writeFile(html, page).catch(fileRefused(`cannot write ${html}`, 'name another file'));
      }
      if (json) printJson({ ...figures, html: html ?? null });
      else printFacts(facts(figures, html));
    });
}

function facts({ from, to, ...figures }: ReportFigures, html: string | undefined) {
  const { types: _types, ...rest } = figures;
  return { ...rest, from, to, ...(html !== undefined && { html }) };
}

function parseSpan(text: string): number {
  const parts = /^(\d{1,4})(h|d)$/.exec(text);
  const span = parts ? Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS] : NaN;
  if (span >= UNITS.h && span <= SUCCESS_DAYS * DAY_MS) return span;
  throw new InvalidArgumentError(`Use ${SPANS}, like 24h or 7d.`);
}
