import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { type Asker, type Parts, recordAction, type Recorded, type Result } from '../control/record-action';
import { escaped } from '../domain/text/escaped';
import type { Channel } from '../store/channels/channels';
import type { Store } from '../store/store';
import { CliError } from '../client/cli-error';
import type { Connections } from './connections';
import type { ReadSettingRows } from './setting-rows';
import { parseText } from '../client/parse-options';
import { note } from '../client/print';
import { type Run, runCommand } from '../client/run-command';
import { channelEvenClosed } from './require-stored';
import { whoActs } from './who-acts';

/**
 * What a command works with: the connections, opened on first use, and what its options say (`--json`, `--yes`,
 * `--reason`).
 */
export interface Call extends Connections {
  /** `--json` was given: print one JSON document, ask nothing. */
  json: boolean;
  /** Whoever is at this terminal, with their `--reason`. */
  asker: Asker;
  /** Asks, unless `--yes` or `--json` is given. @throws CliError when the answer is not yes */
  confirm(question: string): Promise<void>;
  /**
   * Records a change, makes it, and records the outcome (docs/contract.md O17). Every command that changes something goes
   * through here or through control/.
   * @param make a CliError means that nothing was changed
   */
  record<Made>(
    change: Omit<Recorded, 'action'>,
    make: (store: Store) => Promise<Made>,
    outcomeOf?: (made: Made) => string,
  ): Promise<Made>;
}

export type Envelope = ReturnType<typeof createEnvelope>;

/** What every command goes through: it is parsed, run, recorded and printed here. */
export function createEnvelope(connections: Connections, readSettingRows: ReadSettingRows) {
  function reads(command: Command, run: Run<Call>): void {
    takeJson(command);
    runCommand(command, () => callOf(command, connections), run);
  }
  /** Registers a command that changes something, and adds `--reason`. */
  function changes(command: Command, run: Run<Call>): void {
    reads(command, async (call, ...args) => {
      call.asker.by = await whoActs(call);
      return run(call, ...args);
    });
    if (!takes(command, '--reason'))
      command.option('--reason <text>', 'why, for whoever looks next', parseText);
  }
  return { readSettingRows, reads, changes };
}

const takes = (command: Command, option: string) => command.options.some(({ long }) => long === option);

function takeJson(command: Command): void {
  if (takes(command, '--json')) return;
  const asks = takes(command, '--yes') ? '; does not ask either' : '';
  command.option('--json', `one JSON document on stdout${asks}`);
}

function callOf(command: Command, connections: Connections): Call {
  const { json, yes, reason = null } = command.opts<{ json?: true; yes?: true; reason?: string }>();
  const asker: Asker = {
    by: '', // asked for where something is changed
    via: 'gdx',
    reason,
    request_id: randomUUID(),
    action_id: randomUUID(),
  };
  return {
    ...connections,
    json: json === true,
    asker,
    confirm: async (question) => {
      if (!yes && !json) await confirm(question);
    },
    async record(change, make, outcomeOf = () => 'Done.') {
      const store = await connections.store();
      const recorded = await recordAction(
        { store },
        asker,
        { ...change, action: actionOf(command) },
        async () => {
          try {
            const made = await make(store);
            return { made, outcome: outcomeOf(made) };
          } catch (refusal) {
            if (!(refusal instanceof CliError)) throw refusal;
            return { refusal, outcome: `Not done: ${refusal.message}.` };
          }
        },
      );
      const result = done(recorded, () => true);
      if ('refusal' in result) throw result.refusal;
      return result.made;
    },
  };
}

/** A change is recorded under the words of its command, such as `channel add`. */
function actionOf(command: Command): string {
  const words = command.parent?.parent ? [command.parent.name(), command.name()] : [command.name()];
  return words.join(' ');
}

/** What a command that acts on a channel through control/ needs. */
export async function controlParts(call: Call, slug: string): Promise<{ parts: Parts; channel: Channel }> {
  const parts = { store: await call.store(), temporal: await call.temporal() };
  return { parts, channel: await channelEvenClosed(call, slug) };
}

/**
 * Each command acts under a new id, so there is always a result. Prints the outcome, unless the
 * command's own output covers it.
 */
export function done<R extends Pick<Result, 'outcome'>>(
  result: R | undefined,
  asAsked: (result: R) => boolean = () => false,
): R {
  if (!result) throw new Error('this action was recorded before');
  if (!asAsked(result)) note(result.outcome);
  return result;
}

// On stderr, so that the question is visible when stdout is redirected.
const ownTerminal = () => ({
  input: process.stdin as NodeJS.ReadableStream & { isTTY?: boolean },
  output: process.stderr,
});

/**
 * Asks before something is sent or destroyed. Without a terminal it does not ask, so that scripts can run.
 * @throws CliError when the answer is not yes
 */
export async function confirm(question: string, terminal = ownTerminal()): Promise<void> {
  if (!terminal.input.isTTY) return;
  const answer = await ask(`${question} [y/N]`, terminal);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was changed', 'answer y, or add --yes');
}

/** What is typed behind a question; nothing where the terminal is closed. */
export async function ask(question: string, terminal = ownTerminal()): Promise<string> {
  const lines = createInterface(terminal);
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${escaped(question)} `), closed]);
  lines.close();
  return answer;
}
