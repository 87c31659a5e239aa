import type { Command } from 'commander';
import { sayInterval } from '../../domain/push-rhythm';
import type { PushSummary } from '../../store/push/push-activity';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';
import { accessFacts } from '../token-options';

export function integrationListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('the ERPs allowed to push')
    .action(async ({ json }: { json?: true }) => {
      const { listIntegrations } = await import('../../store/callers/integrations.js');
      const { readPushActivity } = await import('../../store/push/push-activity.js');
      const { lastUses } = await import('../../store/callers/token-use.js');
      const store = await connections.store();
      const { listPassedFields } = await import('../../store/sharing/passed-fields.js');
      const pushes = await readPushActivity(store);
      const passed = await listPassedFields(store);
      const rows = [];
      for (const integration of await listIntegrations(store)) {
        const uses = await lastUses(store, integration.token_hashes);
        rows.push({
          id: integration._id,
          name: integration.name,
          company_id: integration.company.id,
          company: integration.company.name,
          ...pushFacts(pushes.get(integration._id)),
          created_at: integration.created_at,
          last_used_at: uses.newest,
          old_last_used_at: uses.old,
          ...accessFacts(integration.access),
          pass_fields: passed.get(integration._id) ?? [],
        });
      }
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('No integrations yet: `gdx integration add` creates one.');
      printTable(rows);
    });
}

/** What an ERP does: records and warnings are those of its last day (UTC). */
function pushFacts(pushed: PushSummary | undefined) {
  const { last_at, usual_ms, silent_at, records, warnings } = pushed ?? {};
  return {
    pushed_at: last_at ?? null,
    usually_within: usual_ms ? sayInterval(usual_ms) : null,
    silent: silent_at ? silent_at <= new Date() : false,
    day_records: records ?? 0,
    day_warnings: warnings ?? 0,
  };
}
