import type { Command } from 'commander';
import { explainAnswer } from '../../domain/explain-answer';
import { CliError, EXIT } from '../cli-error';
import type { Connections } from '../connections';
import { printFacts, printJson } from '../print';
import { channelNamed } from '../require-stored';
import { testBaseUrl } from '../test-base-url';

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
    .action(async (slug: string, { withRecord, json }: Options) => {
      const channel = await channelNamed(connections, slug);
      if (channel.delivery === 'pull')
        throw new CliError(
          `${slug} collects its pages itself: there is no endpoint to test`,
          `its customer tries \`gdx listen ${slug}\``,
        );
      const started = performance.now();
      const asked = { withRecord: withRecord === true, withAuthorization: true };
      const answer = await testBaseUrl(connections, channel, asked);
      const { status, ...rest } = explainAnswer(channel.name, answer, performance.now() - started);
      const explained = { slug, url: `${channel.base_url}/feed`, status, ...rest };
      if (json) printJson(explained);
      else printFacts(explained);
      if (explained.class !== 'confirmed') process.exitCode = EXIT.failed;
    });
}
