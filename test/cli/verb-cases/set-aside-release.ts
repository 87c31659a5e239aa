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
    return [slug, '42-2'];
  },

  table: { says: /^released 1 record to Acme Crop Insurance\n$/ },
  json: { holds: { released: 1 } },
  error: { args: ['nobody', '42-2'], exitCode: 1, says: /there is no channel nobody; / },
};
