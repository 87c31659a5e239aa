import { scaledTest } from '../setup/cases';
import { openCliScene, type CliScene } from './open-cli-scene';

let scene: CliScene;
beforeAll(async () => {
  scene = await openCliScene();
});

async function done(...args: string[]): Promise<void> {
  expect(await scene.gdx(args)).toMatchObject({ exitCode: 0 });
}

scaledTest.each<[command: string, says: RegExp, prepare: () => Promise<string[]>]>([
  [
    'integration rotate',
    /^Every token that agris of Prairie Co-op has stops working now\. /,
    async () => [await scene.addIntegration(), '--revoke-old'],
  ],
  [
    'integration revoke',
    /^From now on agris of Prairie Co-op is refused everything\. /,
    async () => [await scene.addIntegration(), '--all'],
  ],
  [
    'integration revoke',
    /^The token that agris of Prairie Co-op had before the last rotation stops working now\. /,
    async () => {
      const id = await scene.addIntegration();
      await done('integration', 'rotate', id);
      return [id, '--old'];
    },
  ],
  [
    'channel rotate-key',
    /^Every API key that Acme Crop Insurance has stops working now\. /,
    async () => [await scene.addChannel(), '--revoke-old'],
  ],
  [
    'channel revoke-key',
    /^From now on Acme Crop Insurance is refused everything\. /,
    async () => [await scene.addChannel(), '--all'],
  ],
  [
    'channel revoke-key',
    /^The API key that Acme Crop Insurance had before the last rotation stops working now\. /,
    async () => {
      const slug = await scene.addChannel();
      await done('channel', 'rotate-key', slug);
      return [slug, '--old'];
    },
  ],
  [
    'channel link-key',
    /^Links that Acme Crop Insurance has signed with the key before this one are refused from now on\. /,
    async () => {
      const slug = await scene.addChannel();
      for (const _ of ['the first', 'the second']) await done('channel', 'link-key', slug);
      return [slug];
    },
  ],
  [
    'channel rotate-secret',
    /^The customer cannot check any page until they have the new one\. /,
    async () => [await scene.addChannel(), '--now'],
  ],
  [
    'operator remove',
    /^The token and the sessions of Ada Holm end at once\. /,
    async () => {
      await done('operator', 'add', 'Ada Holm');
      return ['Ada Holm'];
    },
  ],
  [
    'set-aside release',
    /^This sends 1 record that Acme Crop Insurance has refused again\. /,
    async () => [await scene.addRefusingChannel(), '--all'],
  ],
  [
    'marker reset',
    /^This resends 3 tickets, about 1 page to Acme Crop Insurance\. /,
    async () => [await scene.addChannel(), 'tickets', '--timestamp', '2026-01-01T00:00:00Z'],
  ],
  [
    'subscriptions revoke',
    /^This ends the sharing of account 42-1001 with Acme Crop Insurance, /,
    async () => [await scene.addSharedChannel(), '--account', '42-1001', '--reason', 'called us'],
  ],
])('gdx %s says what it will do and waits for a yes, unless --yes (%s)', async (command, says, prepare) => {
  const args = [...command.split(' '), ...(await prepare())];
  const before = await scene.fingerprint();
  const asked = await scene.gdxAsking(args);
  expect([asked.exitCode, asked.stdout, asked.stderr]).toEqual([1, '', expect.stringMatching(says)]);
  expect(asked.stderr).toMatch(/ Continue\? \[y\/N\] \s*gdx: nothing was changed; answer y, or add --yes\n$/);
  expect(await scene.fingerprint()).toEqual(before);

  const told = await scene.gdxAsking([...args, '--yes']);
  expect([told.exitCode, told.stderr]).toEqual([0, expect.not.stringContaining('Continue?')]);
  expect(await scene.fingerprint()).not.toEqual(before);
});

scaledTest.each([
  [['integration', 'revoke', 'nobody', '--all'], /no integration nobody/],
  [['integration', 'rotate', 'nobody', '--revoke-old'], /no integration nobody/],
  [['channel', 'revoke-key', 'nobody', '--old'], /no channel nobody/],
  [['channel', 'rotate-key', 'nobody', '--revoke-old'], /no channel nobody/],
  [['operator', 'remove', 'nobody'], /no operator nobody/],
])('gdx %j asks nobody about what is not there', async (args, says) => {
  const run = await scene.gdxAsking(args);
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(says) });
  expect(run.stderr).not.toContain('Continue?');
});
