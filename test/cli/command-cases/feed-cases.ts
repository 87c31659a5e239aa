import { raiseAlert } from '../../../store/alerts/alerts';
import type { CommandCase } from './command-case';
import { pushRecords } from '../../setup/push-records';

const odd = { id: 'S-1', account_id: '1001', status: 'lost', lines: [{ amount: 5 }], net_amount: 7 };
const status = 'status is none of draft, posted, paid, reversed, void';
const sum = 'net_amount is not the sum of lines and adjustments (off by 2)';

export const feedCases: Record<string, CommandCase> = {
  alerts: {
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
  },
  'alerts test': {
    table: { says: /^alert +service\/test\/test\/\d+$/m, recorded: {} },
    json: { holds: { alert: expect.stringMatching(/^service\/test\/test\/\d+$/) } },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  'elevator list': {
    table: { says: /^42-100 +Casselton/m },
    json: { holds: { data: [{ id: '42-100', company_id: '42' }] } },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  'record show': {
    prepare: async ({ store }) => {
      await pushRecords(store, { settlements: [odd] });
      return ['settlements', '42-S-1'];
    },
    table: {
      says: new RegExp(`^position +1\\n(.*\\n)*warnings +${status}; ${sum.replace(/[()]/g, '.')}\\n`, 'm'),
    },
    json: { holds: { id: '42-S-1', record: { settlement: { status: 'lost' } }, warnings: [status, sum] } },
    error: { args: ['tickets', '42-9'], exitCode: 1, says: /no record 42-9 among the tickets; / },
  },
  'record erase': {
    prepare: async (scene) => {
      await scene.addChannel();
      return ['42', 'tickets', '42-2', '--reason', 'a mistake'];
    },
    table: { says: /^id +42-2\nstate +deleting\ngrants +0\nchannels +.*scene-\w+.*\nwaits_for +.*scene-/ },
    json: {
      holds: { id: '42-2', state: 'deleting', waits_for: expect.arrayContaining([expect.any(String)]) },
    },
    error: {
      args: ['42', 'tickets', '9', '--reason', 'x'],
      exitCode: 1,
      says: /no ERP has pushed 9 among the tickets of company 42; /,
    },
  },
  'record trace': {
    prepare: async (scene) => {
      await scene.addChannel();
      return ['42', 'tickets', '1'];
    },
    table: {
      says: /^position +1\nCHANNEL +OUTCOME +SAYS\n(.*\n)*scene-\w+ +waiting +Not yet: it waits for /m,
    },
    json: {
      holds: {
        ...{ id: '42-1', position: 1 },
        channels: expect.arrayContaining([expect.objectContaining({ outcome: 'waiting', delivery: null })]),
      },
    },
    error: {
      args: ['42', 'tickets', '9'],
      exitCode: 1,
      says: /no ERP has pushed 9 among the tickets of company 42; /,
    },
  },
  resend: {
    prepare: async (scene) => [await scene.addChannel(), 'tickets', '42-1', '42-none'],
    table: { says: /^resends 1 ticket\n$/ },
    json: { holds: { records: 1, unknown: ['42-none'], starts: 'now' } },
    error: {
      args: ['acme', 'tickets', '42-1', '--account', '42-1001'],
      exitCode: 2,
      says: /give either ids or account; name their ids/,
    },
  },
  'set-aside list': {
    prepare: async (scene) => [await scene.addRefusingChannel()],
    table: { says: /^ENTITY_TYPE .*\ntickets +42-2 .* no such crop$/m },
    json: { holds: { data: [{ record: '42-2', status: 422, answer: 'no such crop' }] } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
  },
};
