import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { keepAction } from '../keep-action';
import { parseText } from '../parse-text';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';
import { temporalAway } from '../temporal-away';

export function channelDeliver(group: Command, connections: Connections): void {
  group
    .command('deliver')
    .description('run now instead of at the next due time')
    .argument('<channel>', 'its slug')
    .option('--reason <text>', 'why, for whoever looks next', parseText)
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { reason = null, json }: { reason?: string | null; json?: true }) => {
      const { findChannel } = await import('../../store/channels.js');
      const channel = requireChannel(await findChannel(await connections.store(), slug), slug);
      if (channel.state === 'paused') {
        const reason = channel.paused?.reason ?? 'no reason given';
        throw new Failure(
          `channel ${slug} is paused (${reason})`,
          `\`gdx channel resume ${slug}\` delivers at once`,
        );
      }
      const answer = { slug, request_id: randomUUID() };
      await ring(slug, answer.request_id);
      const { request_id } = answer;
      await keepAction(connections, { channel: slug, action: 'deliver', reason, request_id });
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function ring(slug: string, request_id: string): Promise<void> {
    const { deliverNow } = await import('../../workflows/messages.js');
    if (await (await connections.bell()).ring(slug, deliverNow, { request_id })) return;
    throw await temporalAway(connections);
  }
}
