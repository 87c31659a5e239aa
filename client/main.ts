import { Argument, Command } from 'commander';
import { ENTITY_TYPES } from '../domain/records/entity-types';
import { explainError } from './explain-error';
import { endWithReader, note, printConsole } from './print';
import { runCommand, type ReadsEnvelope } from './run-command';
import { openServiceSettings } from './service/open-service-settings';
import { sayIfNewer } from './say-if-newer';

// The file that engineers of ERPs and customers download. It has the commands for them, and nothing else of
// the service (docs/contract.md E22).

/** Set by bundle-client.ts. */
declare const GDX_RELEASE: string;

const envelope: ReadsEnvelope = {
  reads: (command, run) =>
    runCommand(
      command,
      () => ({
        json: command.opts<{ json?: true }>().json === true,
        serviceSettings,
      }),
      run,
    ),
};

// config.ts takes a while to load, and the help does not need it.
const serviceSettings = () =>
  openServiceSettings(async () => (await import('../config.js')).serviceSettings());

async function createClient(words: readonly string[]): Promise<Command> {
  const program = new Command('gdx.mjs')
    .description(
      'Pushes an ERP’s files to the Grain Data Exchange, checks its records, and helps to build what receives its pages.',
    )
    .addHelpText('after', '\nThe guide is /guide at the address of the service.')
    .version(GDX_RELEASE, '--version', 'which release this file is of')
    .enablePositionalOptions()
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  const push = program.command('push').description('push an ERP’s export: files, or a folder of them');
  const listen = program
    .command('listen')
    .description('collect a channel’s pages, and hand them to a receiver here');
  const collect = program
    .command('collect')
    .description('collect a channel’s pages into CSV files, for whoever has no receiver');
  const check = program
    .command('check')
    .description('what is wrong with the records that the service holds of an ERP, and how to mend it');
  program
    .command('compare')
    .description('compare what a receiver holds with what it must hold')
    .argument('<channel>', 'its slug')
    .addArgument(new Argument('<entity-type>').choices(ENTITY_TYPES))
    .option('--mend', 'get again what is missing or altered, and have the receiver drop what is extra')
    .addHelpText('after', COMPARE_NEEDS)
    .action(compare);
  if (words.includes('push')) (await import('./nouns/push.js')).pushCommands(push, envelope);
  if (words.includes('check')) (await import('./nouns/check.js')).checkCommands(check, envelope);
  if (words.includes('collect')) (await import('./nouns/collect.js')).collectCommands(collect, envelope);
  if (words.includes('listen')) (await import('./nouns/listen.js')).listenCommands(listen, envelope);
  return program;
}

const COMPARE_NEEDS = `
It reads from the environment:
  GDX_URL    the address of the service, which the operator gave you with the key
  GDX_TOKEN  the key of the channel
  HELD       where receiver.mjs or feed-to-table.py keeps its records. Unset: held.json

It ends with 0 where nothing differs or --mend was given, 1 where something differs, 2 after an error.`;

/** Runs the sample that customers' engineers read, unchanged. It takes its words from the command line. */
async function compare(channel: string, type: string, { mend }: { mend?: true }): Promise<void> {
  await serviceSettings();
  process.argv.splice(2, Infinity, channel, type, ...(mend ? ['--mend'] : []));
  printConsole();
  await import('../docs/samples/compare.mjs' as string);
}

async function main(words: string[]): Promise<void> {
  try {
    await (await createClient(words)).parseAsync(words, { from: 'user' });
    if (words[0] === 'push' || words[0] === 'check')
      await sayIfNewer(GDX_RELEASE, words, await serviceSettings());
  } catch (error) {
    const { line, exitCode } = await explainError(error);
    process.exitCode = exitCode;
    if (line) note(`gdx: ${line}`);
  }
}

endWithReader();
void main(process.argv.slice(2));
