import { Option } from 'commander';

/** `--dry-run` of a command that wants a reason: nothing happens, so none is asked for. */
export const dryRun = (says: string) => new Option('--dry-run', says).implies({ reason: '' });
