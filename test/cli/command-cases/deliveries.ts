import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const slug = await scene.addChannel();
    await scene.addDelivery(slug);
    return [slug];
  },
  table: { says: /^STARTED_AT .*\n.* tickets +running .*tickets\/1$/m },
  json: { holds: { data: [{ entity_type: 'tickets', status: 'running', trigger: 'schedule' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
