import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Channel } from '../../store/channels/channels';
import { readMarkers, noteFound, startMarker } from '../../store/markers/markers';
import { checkout } from '../../tools/local/checkout';
import { type CliScene, openCliScene } from './open-cli-scene';

const MINUTE_MS = 60_000;

let scene: CliScene;
beforeAll(async () => {
  scene = await openCliScene();
});

/** What the alert says to whoever is woken, of this channel. */
function saidOf(alert: string, channel: string): string {
  const file = readFileSync(path.join(checkout, 'deploy/observability/alerts.yml'), 'utf8');
  const { groups } = parse(file) as {
    groups: { rules: { alert?: string; annotations: { description: string } }[] }[];
  };
  const rule = groups.flatMap(({ rules }) => rules).find((one) => one.alert === alert);
  return rule!.annotations.description.replaceAll('{{ $labels.channel }}', channel);
}

/** A channel whose three tickets wait for so many minutes. */
async function lateChannel(minutes: number): Promise<string> {
  const { store } = scene;
  const slug = await scene.addChannel();
  const created_at = new Date(0);
  await store.db.collection<Channel>('channels').updateOne({ _id: slug }, { $set: { created_at } });
  await startMarker(store, slug, 'tickets', 0);
  const marker = (await readMarkers(store, slug)).get('tickets')!;
  const since = new Date(Date.now() - minutes * MINUTE_MS);
  await noteFound(store, marker, { records: 3, to: 3, since, more: false });
  return slug;
}

test('a channel that is late for half an hour is found, with the reason, by the one command that the alert names', async () => {
  const slug = await lateChannel(95); // its cadence is an hour
  const [, command] = /`gdx ([^`]+)`/.exec(saidOf('GdxChannelLate', slug))!;
  const { stdout } = await scene.gdx(command!.split(' '));
  expect(stdout).toMatch(/^late +3 changes are late, the oldest waits for 1 h 35 min$/m);
  expect(stdout).toMatch(/^on_time +no change was confirmed since \d{4}-\d\d-\d\d$/m);
  expect(stdout).toMatch(/^now +(No worker answers|Its workflow does not run): lanes not known$/m);
  expect(saidOf('GdxChannelLate', slug)).toContain(`/ops/channels/${slug}`);
});

test('one that is in time says nothing of it, and for programs the figure is there', async () => {
  const slug = await lateChannel(30);
  expect((await scene.gdx(['channel', 'show', slug])).stdout).not.toMatch(/^late /m);
  const { how_late } = (await scene.gdx(['channel', 'show', slug, '--json'])).json();
  expect(how_late).toMatchObject({ records: 0, late: 0, waiting: { records: 0, since: null } });
});

test('one that is closed says so where others say what they do now, and a dry run that nothing more ends', async () => {
  const slug = await scene.addChannel();
  await scene.gdx(['channel', 'close', slug, '--reason', 'ended', '--yes']);
  expect((await scene.gdx(['channel', 'show', slug])).stdout).toMatch(/^now +closed: nothing is sent$/m);
  const { stdout } = await scene.gdx(['channel', 'close', slug, '--dry-run']);
  expect(stdout).toMatch(/^would close nothing more, as it is closed, with 0 grants of farmers/m);
});
