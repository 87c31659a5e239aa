import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
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
};
