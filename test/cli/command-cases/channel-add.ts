import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    const slug = await scene.addChannel(); // to be forgotten by the scene with its workflow
    await scene.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: slug });
    return [slug, '--name', 'Acme', '--base-url', 'https://acme.example', '--company', '42'];
  },
  table: { says: /^slug +scene-\w+\napi_key +gdx_channel_\w+\nsigning_secret +whsec_\S+$/m },
  json: {
    holds: { slug: expect.any(String), api_key: expect.any(String), signing_secret: expect.any(String) },
  },
  error: {
    args: ['acme', '--name', 'Acme', '--base-url', 'https://acme.example'],
    exitCode: 2,
    says: /--company <id>, once or more, or --all-companies/,
  },
};
