import type { Command } from 'commander';
import type { ServiceSettings } from './service/open-service-settings';
import { type Output, printOutput } from './print';

/** The context of commands for engineers of ERPs and customers, which need nothing else of the service. */
export interface ServiceCall {
  /** `--json` was given: print one JSON document, ask nothing. */
  json: boolean;
  serviceSettings(): Promise<ServiceSettings>;
}

/** @param args the arguments, then the options, as the command declares them */
export type Run<Call> = (call: Call, ...args: never[]) => Promise<Output | void>;

/** Registers such a command. */
export interface ReadsEnvelope {
  reads(command: Command, run: Run<ServiceCall>): void;
}

/** Makes a command call `run`, print its output and throw its error. */
export function runCommand<Call extends { json: boolean }>(
  command: Command,
  callOf: () => Call,
  run: Run<Call>,
): void {
  command.action(async (...args: unknown[]) => {
    const call = callOf();
    const output = await run(call, ...(args.slice(0, -1) as never[])); // the last one is the command
    if (!output) return;
    printOutput(output, call.json);
    if (output.error) throw output.error;
  });
}
