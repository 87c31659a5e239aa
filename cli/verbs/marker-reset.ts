import { Argument, InvalidArgumentError, type Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { count } from '../../domain/count';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { formatInstant } from '../../domain/instants';
import type { Channel } from '../../store/channels';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { keepAction } from '../keep-action';
import { note } from '../note';
import { parseInstantOption } from '../parse-instant-option';
import { parseText } from '../parse-text';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

// Contract 4.
const EARLIEST = new Date('2016-01-01T00:00:00Z');

interface Options {
  timestamp: Date;
  reason?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

export function markerReset(group: Command, connections: Connections): void {
  group
    .command('reset')
    .description('send again what changed at or after a time')
    .argument('<channel>', 'its slug')
    .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
    .requiredOption('--timestamp <instant>', 'like 2026-10-01T00:00:00Z', parseTimestamp)
    .option('--reason <text>', 'why, for whoever looks next', parseText)
    .option('--dry-run', 'only say what would be sent again')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either')
    .action(async (slug: string, type: EntityType, options: Options) => {
      const channel = await channelCarrying(slug, type);
      const { dryRun, yes, json } = options;
      const planned = await reset(channel, type, options.timestamp, true);
      const effect = `${planned.records.toLocaleString('en-US')} ${type}, about ${count(planned.pages, 'page')}`;
      if (!dryRun && !yes && !json) await confirm(`This resends ${effect} to ${channel.name}. Go on?`);
      const sent = dryRun ? planned : await reset(channel, type, options.timestamp, false);
      if (!dryRun) {
        await tellWorkflow(channel, type, options.timestamp);
        await keepAction(connections, {
          channel: slug,
          action: 'reset',
          about: `${type} from ${formatInstant(options.timestamp)}`,
          reason: options.reason ?? null,
          outcome: `resends ${effect}`,
        });
      }
      if (json) return printJson({ timestamp: options.timestamp, ...sent });
      process.stdout.write(`${dryRun ? 'would resend' : 'resends'} ${effect}\n`);
    });

  async function channelCarrying(slug: string, type: EntityType): Promise<Channel> {
    const { findChannel } = await import('../../store/channels.js');
    const channel = requireChannel(await findChannel(await connections.store(), slug), slug);
    if (channel.entity_types.includes(type)) return channel;
    throw new Failure(`channel ${slug} carries no ${type}`, `it carries ${channel.entity_types.join(', ')}`);
  }

  async function reset(channel: Channel, type: EntityType, timestamp: Date, dryRun: boolean) {
    const { resetChannelMarker } = await import('../../store/reset-channel-marker.js');
    return resetChannelMarker(await connections.store(), channel, type, timestamp, { dryRun });
  }

  async function tellWorkflow(channel: Channel, type: EntityType, timestamp: Date): Promise<void> {
    const { markerReset: signal } = await import('../../workflows/messages.js');
    const details = { entity_type: type, timestamp: formatInstant(timestamp), request_id: randomUUID() };
    const heard = await (await connections.bell()).ring(channel._id, signal, details);
    if (!heard) note('Temporal does not answer: the reset holds all the same, and the next run honours it.');
    else if (channel.state === 'paused')
      note(`The channel is paused: \`gdx channel resume ${channel._id}\` sends it.`);
  }
}

function parseTimestamp(text: string): Date {
  const timestamp = parseInstantOption(text);
  if (timestamp >= EARLIEST) return timestamp;
  throw new InvalidArgumentError(`It must not be before ${formatInstant(EARLIEST)}.`);
}
