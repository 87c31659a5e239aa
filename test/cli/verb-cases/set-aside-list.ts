import { setAside } from '../../../store/set-aside';
import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  async prepare(scene) {
    const slug = await scene.addChannel();
    const refused = {
      channel: slug,
      entity_type: 'tickets',
      record: '42-2',
      position: 2,
      failure: 'refused',
    } as const;
    await setAside(scene.store, { ...refused, status: 422, answer: 'no such crop', delivery: 'd' });
    return [slug];
  },

  table: { says: /^ENTITY_TYPE .*\ntickets +42-2 .* no such crop$/m },
  json: { holds: { data: [{ record: '42-2', status: 422, answer: 'no such crop' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
