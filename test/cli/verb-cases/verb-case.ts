import type { Scene } from '../open-scene';

/** What every verb is tested for (test/cli/README.md). */
export interface VerbCase {
  /** Makes what the runs need. @returns the arguments after the verb */
  prepare?: (scene: Scene) => Promise<string[]>;
  /** What people read. The exit code is 0 unless it says otherwise. */
  table: { args?: string[]; says: RegExp; exitCode?: number };
  /** What programs read, by `toMatchObject`. */
  json: { args?: string[]; holds: object; exitCode?: number };
  error: { args: string[]; exitCode: number; says: RegExp };
}
