import type { Command } from 'commander';
import type { Connections } from '../connections';
import { printJson } from '../print-json';

interface Options {
  dryRun?: true;
  json?: true;
}

export function migrate(program: Command, connections: Connections): void {
  program
    .command('migrate')
    .description('bring the database up to this release; production does not start before it')
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ dryRun, json }: Options) => {
      const { planMigration } = await import('../../store/migrations/read-schema.js');
      const store = await connections.store();
      const plan = await planMigration(store);
      if (!dryRun) await (await import('../../store/migrations/migrate.js')).migrate(store);
      if (json) return printJson({ dry_run: dryRun === true, migrations: plan });
      const lines = plan.flatMap(({ number, name, steps }) => [
        `${dryRun ? 'would apply' : 'applied'} ${number === 0 ? name : `migration ${number}: ${name}`}`,
        ...steps.map((step) => `  ${step}`),
      ]);
      process.stdout.write(`${lines.join('\n') || 'nothing to do: the database is up to date'}\n`);
    });
}
