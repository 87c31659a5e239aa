import type { Command } from 'commander';
import type { CliError } from '../cli-error';
import { note, printJson, printTable } from '../print';
import type { SettingRow } from '../setting-rows';

/** @returns the readable rows, and the error of the configuration if there is one */
export type ReadSettingRows = () => Promise<{
  rows: SettingRow[];
  wrong: CliError | undefined;
  /** docs/settings.md */
  page: string;
}>;

export function configListCommand(program: Command, readSettingRows: ReadSettingRows): void {
  program
    .command('config')
    .description('all settings with effective value, default and meaning')
    .option('--markdown', 'docs/settings.md: defaults and meanings, without values')
    .action(async ({ json, markdown }: { json?: true; markdown?: true }) => {
      const { rows, wrong, page } = await readSettingRows();
      if (markdown) return void process.stdout.write(page);
      if (json) printJson({ data: rows });
      else printTable(rows.map((row) => ({ ...row })));
      note('Temporal’s own TEMPORAL_TLS*, TEMPORAL_API_KEY and so on are used as they are.');
      if (wrong) throw wrong;
    });
}
