import type { Command } from 'commander';
import type { Failure } from '../failure';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import type { SettingRow } from '../setting-rows';

/** @returns the rows, as far as they can be read, and what is wrong with the configuration */
export type ReadSettingRows = () => Promise<{ rows: SettingRow[]; wrong: Failure | undefined }>;

export function configList(program: Command, readSettingRows: ReadSettingRows): void {
  program
    .command('config')
    .description('all settings: the value in force, the default, the meaning')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { rows, wrong } = await readSettingRows();
      if (json) printJson({ data: rows });
      else printTable(rows.map((row) => ({ ...row })));
      note('Temporal’s own TEMPORAL_TLS*, TEMPORAL_API_KEY and so on are used as they are.');
      if (wrong) throw wrong;
    });
}
