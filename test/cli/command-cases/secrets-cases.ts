import type { CommandCase } from './command-case';
import { randomBytes } from 'node:crypto';
import { openNamedSession } from '../../../store/sessions/page-sessions';

export const secretsCases: Record<string, CommandCase> = {
  'actions verify': {
    table: { says: /^HOLDS +LINKS .*\nyes +0 / },
    json: { holds: { holds: true, links: 0, head: null, broken: [], late: [] } },
    error: { args: ['--heads', 'not-there.log'], exitCode: 2, says: /The file cannot be read \(ENOENT\)/ },
  },
  actions: {
    async prepare(scene) {
      const channel = await scene.addChannel();
      const set = ['channel', 'set', channel, '--page-size', '500', '--reason', 'Their wish'];
      expect((await scene.gdx(set)).exitCode).toBe(0);
      return ['--channel', channel];
    },
    table: {
      says: /^AT .*\n\S+ +\S+ +gdx +channel set +scene-\w+ +page_size +page_size: 1,000 +Their wish +Now page_size: 500\.$/m,
    },
    json: {
      holds: {
        data: [{ action: 'channel set', before: { page_size: 1000 }, reason: 'Their wish', via: 'gdx' }],
      },
    },
    error: { args: ['--limit', '0'], exitCode: 2, says: /Use 1 to 200/ },
  },
  'operator add': {
    prepare: async () => [`Ada ${randomBytes(4).toString('hex')}`],
    table: { says: /^name +Ada \w+\nrole +read\ntoken +\S+\n$/ },
    json: { holds: { name: expect.any(String), role: 'read', token: expect.any(String) } },
    error: { args: [' '], exitCode: 2, says: /1 to 200 characters/ },
  },
  'operator list': {
    async prepare(scene) {
      const name = `Ada ${randomBytes(4).toString('hex')}`;
      expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
      return [];
    },
    table: { says: /^NAME .*\nAda /m },
    json: {
      holds: {
        data: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/^Ada/) })]),
      },
    },
    error: { args: ['everybody'], exitCode: 2, says: /too many arguments/ },
  },
  'operator sessions': {
    async prepare(scene) {
      await openNamedSession(scene.store, { name: 'Eve Moss', role: 'operate' });
      return [];
    },
    table: { says: /^NAME +ROLE +BY +LAST_PAGE_AT +ENDS_AT\n(.*\n)*Eve Moss +operate +provider +\S+ +\S+\n/ },
    json: {
      holds: {
        data: expect.arrayContaining([expect.objectContaining({ name: 'Eve Moss', by: 'provider' })]),
      },
    },
    error: { args: ['everybody'], exitCode: 2, says: /too many arguments/ },
  },
  'operator sign-out': {
    async prepare(scene) {
      for (const _ of ['at the desk', 'on the phone'])
        await openNamedSession(scene.store, { name: 'Ida Moss', role: 'operate' });
      return ['Ida Moss'];
    },
    table: { says: /^ended +2$/m, recorded: { before: { sessions: 2 } } },
    json: { holds: { name: 'Ida Moss', ended: 2 } },
    error: {
      args: ['nobody'],
      exitCode: 1,
      says: /nobody is not signed in; `gdx operator sessions` lists who is/,
    },
  },
  'operator set': {
    async prepare(scene) {
      const name = `Ada ${randomBytes(4).toString('hex')}`;
      expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
      return [name, '--address', '203.0.113.0/24'];
    },
    table: { says: /^addresses +203/m, recorded: { before: { expires_at: null, addresses: [] } } },
    json: { holds: { addresses: ['203.0.113.0/24'], expires_at: null } },
    error: { args: ['nobody', '--expires', '9d'], exitCode: 1, says: /there is no operator nobody; / },
  },
  'operator remove': {
    async prepare(scene) {
      const name = `Ada ${randomBytes(4).toString('hex')}`;
      expect((await scene.gdx(['operator', 'add', name])).exitCode).toBe(0);
      return [name];
    },
    table: { says: /^removed +yes$/m, recorded: { before: { created_at: expect.any(Date) } } },
    json: { holds: { removed: true } },
    error: { args: ['nobody'], exitCode: 1, says: /there is no operator nobody; / },
  },
  'secrets hash-key': {
    table: { args: ['--new'], says: /^previous +\S{8}$/m },
    json: { args: ['--new'], holds: { current: expect.any(String), previous: expect.any(String) } },
    error: { args: ['--new'], exitCode: 1, says: /two keys are in use already; / },
  },
  'secrets keys': {
    table: { says: /^GDX_CUSTOMER_SECRETS_KEY +\S{44}\nGDX_CUSTOMER_SECRETS_PUBLIC_KEY +\S{44}$/m },
    json: { holds: { GDX_CUSTOMER_SECRETS_KEY: expect.any(String) } },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  'secrets ledger-key': {
    table: { args: ['--new'], says: /^ID +ED25519 +SIGNS\n\S{8} +\S{44} +yes\n\S{8} +\S{44} +no$/m },
    json: { args: [], holds: { data: expect.arrayContaining([expect.objectContaining({ signs: true })]) } },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
  'secrets rewrap': {
    table: { says: /^KIND +CURRENT / },
    json: { holds: { dry_run: false, data: expect.any(Array) } },
    error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
  },
};
