import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { ANSWER_EFFECTS } from '../../domain/answer-effects';
import { type Answer, classifyAnswer } from '../../domain/classify-answer';
import type { Channel } from '../../store/channels';
import type { Connections } from '../connections';
import { EXIT } from '../exit-codes';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

interface Options {
  withRecord?: true;
  json?: true;
}

export function channelTest(group: Command, connections: Connections): void {
  group
    .command('test')
    .description(
      'post a signed page, marked as a test, to the customer and explain the answer; no marker moves',
    )
    .argument('<channel>', 'its slug')
    .option('--with-record', 'with one deleted account of a company gdx-test on it; else it is empty')
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { withRecord, json }: Options) => {
      const { findChannel } = await import('../../store/channels.js');
      const channel = requireChannel(await findChannel(await connections.store(), slug), slug);
      const started = performance.now();
      const answer = await post(channel, withRecord === true);
      const explained = explain(channel, answer, Math.round(performance.now() - started));
      if (json) printJson(explained);
      else printFacts(explained);
      if (explained.class !== 'confirmed') process.exitCode = EXIT.failed;
    });

  /** By the way of every page: the same guard, the same headers, the same limits. */
  async function post(channel: Channel, withRecord: boolean): Promise<Answer> {
    const { createAgent } = await import('../../activities/customer/create-agent.js');
    const { sendPage } = await import('../../activities/customer/send-page.js');
    const { testPage } = await import('../../domain/test-page.js');
    const agent = createAgent({ rule: await connections.settings() });
    const { signal } = new AbortController();
    const page = testPage(withRecord, channel.page_size, new Date());
    const sending = { store: await connections.store(), agent, signal, mayRepeat: async () => true };
    try {
      return await sendPage(sending, channel, page, {
        requestId: randomUUID(),
        delivery: `test/${channel._id}/${randomUUID()}`,
        ...{ entityType: 'accounts', generation: 0, epoch: 0, account: undefined, test: true },
      });
    } finally {
      await agent.destroy();
    }
  }
}

/** In the words of the customer's guide. */
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
