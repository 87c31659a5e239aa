import type { CliScene } from '../open-cli-scene';

/** The test case of a command (test/cli/README.md). */
export interface CommandCase {
  /** Makes what the runs need. @returns the arguments after the command */
  prepare?: (scene: CliScene) => Promise<string[]>;
  /** The output for people. The exit code is 0 unless given. `recorded`: of what it changed (docs/contract.md O17). */
  table: { args?: string[]; says: RegExp; exitCode?: number; recorded?: object };
  /** The JSON output, compared by `toMatchObject`. */
  json: { args?: string[]; holds: object; exitCode?: number };
  error: { args: string[]; exitCode: number; says: RegExp };
}
