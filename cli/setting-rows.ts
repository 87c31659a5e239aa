import type { CliError } from './cli-error';

interface SettingRow {
  name: string;
  /** The effective value; secrets are hidden. */
  value: string;
  default: string;
  meaning: string;
}

/** @returns the readable rows, and the error of the configuration if there is one */
export type ReadSettingRows = () => Promise<{
  rows: SettingRow[];
  wrong: CliError | undefined;
  /** docs/settings.md */
  page: string;
}>;

type Properties = Record<string, { default?: unknown; description?: string; secret?: 'whole' | 'path' }>;

const HIDDEN = '(hidden)';

/**
 * The table of settings (docs/contract.md S1).
 * @param inForce the configuration read from them: `GDX_TASK_QUEUE` is its `taskQueue`
 */
export function settingRows(
  properties: Properties,
  env: NodeJS.ProcessEnv,
  inForce: Record<string, unknown>,
): SettingRow[] {
  return Object.entries(properties).map(([name, setting]) => ({
    name,
    value: shown(setting.secret, inForce[configKey(name)] ?? env[name] ?? setting.default),
    default: String(setting.default ?? ''),
    meaning: setting.description ?? '',
  }));
}

function configKey(name: string): string {
  const words = name.replace(/^GDX_/, '').toLowerCase();
  return words.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function shown(secret: 'whole' | 'path' | undefined, value: unknown): string {
  if (secret === 'whole') return HIDDEN;
  const text = String(value ?? '');
  if (secret === 'path' && URL.canParse(text)) return `${new URL(text).origin}/${HIDDEN}`;
  return text
    .replace(/(:\/\/[^/@:]*:)[^/@]*@/, `$1${HIDDEN}@`)
    .replace(/([?&,][^=&]*(?:password|token|secret)[^=&]*[=:])[^&,]*/gi, `$1${HIDDEN}`);
}
