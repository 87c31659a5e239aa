/** Exit codes of `gdx` (docs/contract.md O9); 69 and 78 are from sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 69, configuration: 78 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
