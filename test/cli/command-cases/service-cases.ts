import type { CommandCase } from './command-case';
import { pollAs } from '../poll-as';

export const serviceCases: Record<string, CommandCase> = {
  config: {
    table: { says: /^NAME +VALUE +DEFAULT +MEANING\n/ },
    json: {
      holds: {
        data: expect.arrayContaining([expect.objectContaining({ name: 'LOG_LEVEL', default: 'info' })]),
      },
    },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  doctor: {
    // No worker runs for this desk: test/cli/doctor.slow.test.ts has one that is well.
    table: { says: /^fail {2}worker +nobody works on .*\n +-> start the worker/m, exitCode: 1 },
    json: { holds: { healthy: false, data: expect.any(Array) }, exitCode: 1 },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  migrate: {
    async prepare(scene) {
      await scene.store.db.collection('operator_actions').drop();
      return [];
    },
    table: {
      says: /^applied collections and indexes\n  collection operator_actions$/m,
      recorded: { before: { missing: expect.arrayContaining(['collection operator_actions']) } },
    },
    json: { holds: { dry_run: false, migrations: [{ number: 0 }] } },
    error: { args: ['backwards'], exitCode: 2, says: /too many arguments.*; add --help/ },
  },
  'repair counters': {
    async prepare(scene) {
      const counters = scene.store.db.collection<{ _id: string }>('counters');
      await counters.updateOne({ _id: 'tickets' }, { $set: { position: 1 } });
      return [];
    },
    table: {
      says: /^ENTITY_TYPE +COUNTER +HIGHEST +REPAIRED\n.*raised 1 counters, forgot \d push receipts/ms,
      recorded: { before: { tickets: 1 } },
    },
    json: {
      holds: {
        data: expect.arrayContaining([
          { entity_type: 'tickets', counter: 1, highest: expect.any(Number), repaired: true },
        ]),
        receipts_forgotten: expect.any(Number),
      },
    },
    error: { args: ['tickets'], exitCode: 2, says: /too many arguments.*; add --help/ },
  },
  'worker list': {
    async prepare(scene) {
      await pollAs('2.0', scene.env);
      return [];
    },
    table: { says: /^BUILD_ID +STATE +FIRST_SEEN *\n2\.0 +(inactive|current) +20/m },
    json: {
      holds: {
        data: [
          {
            build_id: '2.0',
            state: expect.stringMatching(/^(inactive|current)$/),
            first_seen: expect.any(String),
          },
        ],
      },
    },
    error: { args: ['everybody'], exitCode: 2, says: /too many arguments/ },
  },
};
