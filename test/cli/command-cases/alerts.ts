import { raiseAlert } from '../../../store/feed/alerts';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const slug = await scene.addChannel();
    const trigger = {
      channel: slug,
      class: 'unauthorized',
      subject: 'tickets',
      message: 'Acme answered 401',
    } as const;
    await raiseAlert(scene.store, trigger, new Date());
    return [slug];
  },
  table: { says: /^CHANNEL +CLASS .*\nscene-\w+ +unauthorized +open .* Acme answered 401$/m },
  json: { holds: { data: [{ class: 'unauthorized', state: 'open', failing: ['tickets'] }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
