import { msNow, timeNow } from '../../domain/time/elapsed';
import type { Command } from 'commander';
import { beginChannel } from '../../control/begin-channel';
import { close } from '../../control/close';
import { dayClosed } from '../../control/deed';
import { pause, resume } from '../../control/pause-and-resume';
import { companiesList } from '../../control/list-companies';
import { deliver } from '../../control/request-delivery';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { explainAnswer } from '../../domain/deliveries/explain-answer';
import { howLate, sayConfirmed, sayWaiting } from '../../domain/deliveries/lateness';
import { describeLaneOf } from '../../domain/deliveries/lane';
import type { FailureStreak } from '../../domain/deliveries/alert-class';
import { type Alert, listAlerts } from '../../store/alerts/alerts';
import { lastUses } from '../../store/callers/token-use';
import {
  type Channel,
  ChannelExists,
  findEvenClosed,
  listChannels,
  listClosed,
  listPublicKeys,
  sayPublicKeys,
} from '../../store/channels/channels';
import { listBacklogs } from '../../store/markers/list-backlogs';
import { liveLinkKeys } from '../../store/secrets/link-keys';
import { workflowLink } from '../../temporal/workflow-link';
import { channelDocument } from '../channel-document';
import { channelOptions, type ChannelOptions, channelSettings, requirePurpose } from '../channel-options';
import { listCommand } from '../list-command';
import { noteLetter } from '../note-letter';
import { CliError, EXIT } from '../../client/cli-error';
import { deedCommand } from '../deed-command';
import type { Call, Envelope } from '../envelope';
import { formatCell, note } from '../../client/print';
import { unpushed } from '../doctor/check-channels';
import { channelEvenClosed, channelNamed } from '../require-stored';
import { refuseMixed } from '../sandbox/keep-apart';
import { testBaseUrl } from '../test-base-url';
import { channelKeyCommands } from './channel-keys';
import { channelLinkCommand } from './channel-link';
import { channelSetCommand } from './channel-set';

export function channelCommands(channel: Command, envelope: Envelope): void {
  const { reads, changes } = envelope;
  changes(
    channelOptions(channel.command('add')).description(
      'create a customer’s feed; prints its key and signing secret once',
    ),
    add,
  );
  reads(channel.command('list').description('all channels'), list);
  reads(
    channel
      .command('show')
      .description('settings and state of one channel')
      .argument('<channel>', 'its slug'),
    show,
  );
  listCommand(channel.command('companies'), companiesList, envelope);
  channelSetCommand(channel, envelope);
  channelLinkCommand(channel, envelope);
  for (const row of [pause, resume, deliver, close])
    deedCommand(channel.command(row.gdx!.words[1]!), row, envelope);
  changes(
    channel
      .command('test')
      .description(
        'post a signed page, marked as a test, to the customer and explain the answer; no marker moves',
      )
      .argument('<channel>', 'its slug')
      .option(
        '--with-record',
        'include one deleted account of a company gdx-test; otherwise the page is empty',
      ),
    test,
  );
  channelKeyCommands(channel, envelope);
}

async function add(call: Call, slug: string, options: ChannelOptions) {
  const rules = await call.settings();
  const settings = channelSettings(options, rules);
  if (rules.production) requirePurpose(settings);
  const signsLinks = settings.scope === 'subscribed' && rules.production && !options.unsignedLinks;
  const made = await create(call, slug, settings, options, signsLinks);
  const { apiKey, signingSecret, publicKey, linkKey } = made;
  note('What is printed is shown only once: hand it to the customer now.');
  await noteLetter(call, slug);
  if (linkKey) note('Links to farmers are refused without a signature by the link key.');
  if (settings.scope === 'all' && settings.callback_origins.length > 0)
    note('Scope all: the channel carries every record, so farmers have nothing to choose.');
  const nobody = await unpushed(await call.store(), settings.companies);
  if (nobody) note(`Nothing is sent yet: ${nobody}. \`gdx integration add\` gives its ERP a token.`);
  if (!(await (await call.temporal()).ensureRunning(slug, settings.cadence_ms)))
    note('Temporal does not answer: the reconciler starts the channel once it is back.');
  return {
    facts: {
      slug,
      api_key: apiKey,
      signing_secret: signingSecret,
      public_key: publicKey,
      ...(linkKey && { link_key: linkKey }),
    },
  };
}

async function create(
  { preparedStore, record }: Call,
  slug: string,
  settings: ReturnType<typeof channelSettings>,
  { since, unsignedLinks }: ChannelOptions,
  signsLinks: boolean,
) {
  const taken = new CliError(
    `channel ${slug} exists already`,
    `pick another slug, or see \`gdx channel show ${slug}\``,
  );
  const store = await preparedStore();
  const found = await findEvenClosed(store, slug);
  if (found?.state === 'closed')
    throw new CliError(
      `channel ${slug} was closed${dayClosed(found)}`,
      'pick another slug: none is given out again',
    );
  if (found) throw taken;
  await refuseMixed(store, settings.companies);
  const about = `${settings.name}, ${settings.base_url || 'collected by the customer'}, ${settings.companies.join(', ') || 'all companies'}${unsignedLinks ? ', unsigned links' : ''}`;
  return record({ channel: slug, about, before: {} }, () =>
    beginChannel(store, slug, settings, { since, signsLinks }).catch((error: unknown) => {
      throw error instanceof ChannelExists ? taken : error;
    }),
  );
}

async function list({ store }: Call) {
  const all = [...(await listChannels(await store())), ...(await listClosed(await store()))];
  const data = all.map((channel) => channelDocument(channel, msNow()));
  const table = data.map(({ slug, name, state, scope, companies, cadence, next_due, failing, base_url }) => ({
    slug,
    name,
    state,
    scope,
    companies: companies.length === 0 ? 'all' : companies,
    cadence,
    next_due,
    failing: failing?.failure,
    base_url,
  }));
  return { json: { data }, table, none: 'No channels yet: `gdx channel add` creates one.' };
}

async function show(call: Call, slug: string) {
  const channel = await channelEvenClosed(call, slug);
  const store = await call.store();
  const keys = await liveLinkKeys(store, slug, timeNow());
  const uses = await lastUses(store, channel.api_key_hashes);
  const now = timeNow();
  const figure = howLate(await listBacklogs(store, [channel]), now);
  const open = await listAlerts(store, { channel: slug });
  const shown = {
    ...channelDocument(channel, now.getTime()),
    failing: failingSince(channel, open),
    key_last_used_at: uses.newest,
    old_key_last_used_at: uses.old,
    signed_links: keys !== undefined,
    how_late: figure,
  };
  const lanes = await (await call.temporal()).lanes(slug);
  const doing = lanes.known
    ? channel.entity_types.map((type) => [`now: ${type}`, describeLaneOf(lanes, type)])
    : [['now', channel.state === 'closed' ? 'closed: nothing is sent' : lanes.why]];
  const link = workflowLink(await call.settings(), `channel/${slug}`);
  const { paused, closed, failing, companies, has_authorization, how_late: _, ...rest } = shown;
  const late = sayWaiting(figure, now);
  const facts = {
    ...rest,
    companies: companies.length === 0 ? 'all' : companies,
    public_keys: sayPublicKeys(channel),
    authorization: has_authorization ? 'set (not shown)' : 'none',
    ...(failing && { failing: `${failing.failure} since ${formatCell(failing.failure_since)}` }),
    on_time: sayConfirmed(channel, figure),
    ...(late && { late }),
    ...(open.length > 0 && { alerts: open.map(({ class: kind, message }) => `${kind}: ${message}`) }),
    ...(Object.fromEntries(doing) as Record<string, string>),
    ...(paused && { paused_since: paused.at, paused_because: paused.reason }),
    ...(closed && { closed_on: closed.at, closed_because: closed.reason }),
    ...(link && { temporal: link }),
  };
  return { json: { ...shown, all_keys: listPublicKeys(channel), lanes: lanes.known }, facts };
}

/**
 * The failure streak, with the beginning that its alert has if that is earlier. A pause ends the streak, but
 * the alert stays until a page is confirmed.
 */
function failingSince({ failing }: Channel, open: Alert[]): FailureStreak | null {
  if (!failing) return null;
  const alert = open.find(({ class: kind }) => kind === failing.failure);
  if (!alert || alert.opened_at > failing.failure_since) return failing;
  return { ...failing, failure_since: alert.opened_at };
}

async function test(call: Call, slug: string, { withRecord = false }: { withRecord?: boolean }) {
  const channel = await channelNamed(call, slug);
  if (channel.delivery === 'pull')
    throw new CliError(
      `${slug} collects its pages itself: there is no endpoint to test`,
      `its customer tries \`gdx listen ${slug}\``,
    );
  const started = performance.now();
  const recorded = { channel: slug, about: withRecord ? 'with a record' : '', before: {} };
  const answer = await call.record(
    recorded,
    () => testBaseUrl(call, channel, { withRecord }),
    (got) => `It ${classifyAnswer(got)?.reason ?? 'took the page'}.`,
  );
  const { status, ...rest } = explainAnswer(channel.name, answer, performance.now() - started);
  if (rest.class !== 'confirmed') process.exitCode = EXIT.failed;
  if (channel.gzip && status !== null && rest.class !== 'confirmed') {
    const unpacked = await testBaseUrl(call, { ...channel, gzip: false }, { withRecord });
    if (!classifyAnswer(unpacked)) rest.mend = TAKES_UNPACKED;
  }
  const json = { slug, url: `${channel.base_url}/feed`, status, ...rest };
  const { mend, ...facts } = json;
  return { json, facts: { ...facts, tell_the_customer: mend } }; // the customer has to fix it
}

const TAKES_UNPACKED =
  'It takes the page when it is not packed: its framework probably unpacks before the signature is checked (`/guide/signature` says which do). Until that is set, use --gzip off.';
