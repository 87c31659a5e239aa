import type { Command } from 'commander';
import type { Envelope } from '../envelope';
import { note } from '../../client/print';

export function configCommands(config: Command, { reads, readSettingRows }: Envelope): void {
  reads(
    config.option('--markdown', 'docs/settings.md: defaults and meanings, without values'),
    async (_call, { markdown }: { markdown?: true }) => {
      const { rows, wrong, unknown, page } = await readSettingRows();
      if (markdown) return { text: page };
      unknown.forEach(note);
      return { table: rows.map((row) => ({ ...row })), error: wrong };
    },
  );
}
