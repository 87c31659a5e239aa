import type { Command } from 'commander';
import type { ServiceSettings } from './connections';
import { type Output, printOutput } from './print';

/** What the commands for other people's engineers need: they run without anything else of the service. */
export interface ServiceCall {
  /** `--json` was given: print one JSON document, ask nothing. */
  json: boolean;
  serviceSettings(): Promise<ServiceSettings>;
}

/** How such a command is registered: with the arguments, then the options, as it declares them. */
export interface ReadsEnvelope {
  reads(command: Command, run: (call: ServiceCall, ...args: never[]) => Promise<Output | void>): void;
}

/** Runs a command, prints what it has found, and throws what it ends with. */
export function runCommand<Call extends { json: boolean }>(
  command: Command,
  callOf: () => Call,
  run: (call: Call, ...args: never[]) => Promise<Output | void>,
): void {
  command.action(async (...args: unknown[]) => {
    const call = callOf();
    const output = await run(call, ...(args.slice(0, -1) as never[])); // the last one is the command
    if (!output) return;
    printOutput(output, call.json);
    if (output.error) throw output.error;
  });
}
