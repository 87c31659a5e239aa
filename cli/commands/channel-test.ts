import type { Command } from 'commander';
import { ANSWER_EFFECTS } from '../../domain/answer-effects';
import { type Answer, classifyAnswer } from '../../domain/classify-answer';
import type { Channel } from '../../store/feed/channels';
import { CliError } from '../cli-error';
import type { Connections } from '../connections';
import { EXIT } from '../exit-codes';
import { postTestPage } from '../post-test-page';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

interface Options {
  withRecord?: true;
  json?: true;
}

export function channelTestCommand(group: Command, connections: Connections): void {
  group
    .command('test')
    .description(
      'post a signed page, marked as a test, to the customer and explain the answer; no marker moves',
    )
    .argument('<channel>', 'its slug')
    .option('--with-record', 'include one deleted account of a company gdx-test; otherwise the page is empty')
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { withRecord, json }: Options) => {
      const { findChannel } = await import('../../store/feed/channels.js');
      const channel = requireChannel(await findChannel(await connections.store(), slug), slug);
      if (channel.delivery === 'pull')
        throw new CliError(
          `${slug} collects its pages itself: there is no endpoint to test`,
          `its customer tries \`gdx listen ${slug}\``,
        );
      const started = performance.now();
      const asked = { withRecord: withRecord === true, withAuthorization: true };
      const answer = await postTestPage(connections, channel, asked);
      const explained = explain(channel, answer, Math.round(performance.now() - started));
      if (json) printJson(explained);
      else printFacts(explained);
      if (explained.class !== 'confirmed') process.exitCode = EXIT.failed;
    });
}

/** In the words of docs/customer.md. */
function explain(channel: Channel, answer: Answer, milliseconds: number) {
  const verdict = classifyAnswer(answer);
  const { effect, mend } = ANSWER_EFFECTS[verdict?.failure ?? 'confirmed'];
  return {
    slug: channel._id,
    url: `${channel.base_url}/feed`,
    status: answer.status,
    milliseconds,
    class: verdict?.failure ?? 'confirmed',
    reason: `${channel.name} ${verdict?.reason ?? `answered ${answer.status}`}`,
    real_page: effect,
    mend: mend ?? null,
    answer: answer.status === null ? null : answer.excerpt || null,
  };
}
