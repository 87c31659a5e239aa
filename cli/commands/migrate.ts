import type { Command } from 'commander';
import type { Planned } from '../../store/schema/migrations/read-schema';
import type { Connections } from '../connections';
import { printJson } from '../print';
import { recordChange } from '../record-change';

interface Options {
  dryRun?: true;
  reason?: string;
  json?: true;
}

export function migrateCommand(program: Command, connections: Connections): void {
  program
    .command('migrate')
    .description('migrate the database to this release; production does not start before that')
    .option('--dry-run', 'only print what would be done')
    .action(async ({ dryRun, reason, json }: Options) => {
      const { planMigration } = await import('../../store/schema/migrations/read-schema.js');
      const store = await connections.store();
      const plan = await planMigration(store);
      if (!dryRun && plan.length > 0) await migrate(plan, reason);
      if (!dryRun) await seed();
      if (json) return printJson({ dry_run: dryRun === true, migrations: plan });
      const lines = plan.flatMap(({ number, name, steps }) => [
        `${dryRun ? 'would apply' : 'applied'} ${number === 0 ? name : `migration ${number}: ${name}`}`,
        ...steps.map((step) => `  ${step}`),
      ]);
      process.stdout.write(`${lines.join('\n') || 'nothing to do: the database is up to date'}\n`);
    });

  // API and worker have no right to create counters and keys.
  async function seed(): Promise<void> {
    const { prepareStore } = await import('../../store/schema/prepare-store.js');
    await prepareStore(await connections.store());
  }

  // The collection of the records may be one that is missing: the first one creates it.
  async function migrate(plan: Planned[], reason: string | undefined): Promise<void> {
    const { migrateStore } = await import('../../store/schema/migrations/migrate-store.js');
    const about = plan.map(({ number, name }) => (number === 0 ? name : `${number}: ${name}`)).join(', ');
    const before = { missing: plan.flatMap(({ steps }) => steps) };
    await recordChange(connections, { action: 'migrate', channel: null, about, before, reason }, (store) =>
      migrateStore(store),
    );
  }
}
