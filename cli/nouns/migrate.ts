import type { Command } from 'commander';
import { migrateStore } from '../../store/schema/migrations/migrate-store';
import { planMigration } from '../../store/schema/migrations/read-schema';
import { prepareStore } from '../../store/schema/prepare-store';
import type { Envelope } from '../envelope';

export function migrateCommands(migrate: Command, { changes }: Envelope): void {
  changes(
    migrate.option('--dry-run', 'only print what would be done'),
    async ({ store, record }, { dryRun }: { dryRun?: true }) => {
      const plan = await planMigration(await store());
      if (!dryRun && plan.length > 0) {
        const about = plan.map(({ number, name }) => (number === 0 ? name : `${number}: ${name}`)).join(', ');
        const before = { missing: plan.flatMap(({ steps }) => steps) };
        // The collection of operators' actions may be missing, too. Recording this one creates it.
        await record({ channel: null, about, before }, (own) => migrateStore(own));
      }
      if (!dryRun) await prepareStore(await store()); // API and worker have no right to create counters and keys
      const lines = plan.flatMap(({ number, name, steps }) => [
        `${dryRun ? 'would apply' : 'applied'} ${number === 0 ? name : `migration ${number}: ${name}`}`,
        ...steps.map((step) => `  ${step}`),
      ]);
      return {
        json: { dry_run: dryRun === true, migrations: plan },
        text: `${lines.join('\n') || 'nothing to do: the database is up to date'}\n`,
      };
    },
  );
}
