import { Argument, type Command, InvalidArgumentError } from 'commander';
import {
  type AnyDeed,
  type Field,
  type FlawFound,
  readInput,
  Refused,
  sayFlaw,
  Flawed,
} from '../control/deed';
import type { Channel } from '../store/channels/channels';
import { CliError, UsageError } from '../client/cli-error';
import { temporalUnavailable } from './connections';
import { type Call, controlParts, done, type Envelope } from './envelope';
import { parseText } from '../client/parse-options';
import type { Output } from '../client/print';
import { channelNamed } from './require-stored';
import { dryRun } from './dry-run';

type Options = Record<string, unknown> & { dryRun?: true; yes?: true };

/** Adds the command of a deed on a channel. @param command with the words of the deed */
export function deedCommand(command: Command, row: AnyDeed, { changes }: Envelope): void {
  const { says, reason } = row.gdx!;
  if (command.name() !== row.gdx!.words[0]) command.description(says);
  command.argument('<channel>', 'its slug');
  const fields = Object.entries<Field<unknown>>(row.input);
  for (const [name, field] of fields) addField(command, name, field);
  if (row.preview) command.addOption(dryRun('only say what would happen')).option('--yes', 'do not ask');
  if (reason) command.requiredOption('--reason <text>', 'why, for whoever looks next', parseText);
  const words = fields.filter(([, { gdx }]) => !gdx.flags).map(([name]) => name);
  changes(command, async (call, slug: string, ...args: unknown[]) => {
    const given = Object.fromEntries(words.map((name, index) => [name, orNone(args[index])]));
    return act(row, call, slug, given, args[words.length] as Options);
  });
}

const orNone = (word: unknown) => (Array.isArray(word) && word.length === 0 ? undefined : word);

function addField(command: Command, name: string, { gdx, schema, read }: Field<unknown>): void {
  const { flags, says = '', choices, isList } = gdx;
  const parse = (text: string) => {
    const value = read(text);
    if (value instanceof Flawed)
      throw new InvalidArgumentError(`It ${value.flaw.says}. ${flags ? `Write it ${says}.` : ''}`.trim());
    return text;
  };
  const isOptional = Symbol.for('TypeBox.Optional') in schema;
  if (flags && isOptional) command.option(flags, says);
  else if (flags) command.requiredOption(flags, says, parse);
  else {
    const argument = new Argument(isList ? `[${name}...]` : `<${name}>`, says);
    command.addArgument(choices ? argument.choices([...choices]) : argument);
  }
}

async function act(
  row: AnyDeed,
  call: Call,
  slug: string,
  words: Record<string, unknown>,
  options: Options,
): Promise<Output> {
  const { dryRun: isDryRun = false } = options;
  const { sends } = row;
  const { facts, notes, none, needsTemporal } = row.gdx!;
  const readFor = (fitting?: Channel) => {
    const read = readInput(row, (name, { gdx }) => (gdx.flags ? options[name] : words[name]), fitting);
    if ('found' in read) throw refusalOf(row, slug, read.found[0]!);
    return read.input;
  };
  readFor(); // what no channel would take is an error of usage
  const { parts, channel } = await controlParts(call, slug);
  const input = readFor(channel);
  // Counted once: before it is done if somebody waits for the number, else after the signal.
  const isAwaited = isDryRun || (!options.yes && !call.json);
  const planned = isAwaited ? await row.preview?.(parts, channel, input) : undefined;
  if (planned && !isDryRun)
    await call.confirm(`This ${sends!.verb}s ${sends!.what(input, planned)} to ${channel.name}. Continue?`);
  const refuse = (error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    throw refusalOf(row, slug, { ...error, isOfChannel: true });
  };
  const run = async () => {
    const result = await row.run(parts, channel, input, call.asker, planned).catch(refuse);
    if (needsTemporal && !result?.signalled) throw await temporalUnavailable(call);
    return done(result, ({ starts }: { starts?: string }) => starts === 'now');
  };
  const effect = isDryRun ? planned : await run();
  if (facts) return { facts: facts(await channelNamed(call, slug), call.asker) };
  const flaw = none?.(effect);
  if (flaw) throw refusalOf(row, slug, { field: '', flaw, isOfChannel: true });
  const verb = isDryRun ? `would ${sends!.verb}` : `${sends!.verb}s`;
  const text = `${verb} ${sends!.what(input, effect)}\n`;
  return { json: row.answer!(input, effect), notes: notes?.(effect) ?? [], text };
}

function refusalOf(row: AnyDeed, slug: string, { field, flaw, isOfChannel }: FlawFound): CliError {
  const { advice = `\`gdx channel show ${slug}\` says what it carries`, ...said } = flaw;
  const says = lowerFirst(sayFlaw(row, field, said));
  return isOfChannel ? new CliError(says, advice) : new UsageError(says, advice);
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
