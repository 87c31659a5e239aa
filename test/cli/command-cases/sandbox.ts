import { testCompanyOf } from '../../../domain/test-company';
import { type Api, startApi } from '../../api/start-api';
import type { CommandCase } from './command-case';

const apis: Api[] = [];

export const commandCase: CommandCase = {
  async close() {
    for (const api of apis) await api.stop();
  },
  // What it pushes, and where it refuses to: sandbox.test.ts.
  prepare: async (scene) => {
    const slug = await scene.addChannel();
    const company = testCompanyOf(slug).id;
    await scene.store.db
      .collection('channels')
      .updateOne({ _id: slug as never }, { $set: { companies: [company] } });
    const api = await startApi({ store: scene.store });
    apis.push(api);
    return [slug, '--url', `http://127.0.0.1:${api.port}`, '--for', '1s'];
  },
  table: { says: /^company +test\.scene_\w+\n(.*\n)*records +145\n/m },
  json: { holds: { company: expect.stringMatching(/^test\.scene_/), pushes: 2 } },
  error: {
    args: ['nobody'],
    exitCode: 1,
    says: /no channel nobody; `gdx channel add nobody .* --company test\.nobody`/,
  },
};
