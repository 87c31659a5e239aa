/** What `gdx` ends with (operators): 69 and 78 are those of sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 69, configuration: 78 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
