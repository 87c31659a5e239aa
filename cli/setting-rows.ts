import { readUri } from '../domain/settings/mongodb-uri';
import { isReadBy, type Part } from '../domain/settings/setting';
import type { CliError } from '../client/cli-error';
import { nearestName } from '../domain/text/nearest-name';

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
  /** A sentence for each variable that looks like a setting and is not one. */
  unknown: string[];
  /** docs/settings.md */
  page: string;
}>;

interface Setting {
  default?: unknown;
  description?: string;
  secret?: 'whole' | 'path';
  minimum?: number;
  maximum?: number;
  of?: Part;
  never?: { to: Part; because: string };
}

type Properties = Record<string, Setting>;

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
    value:
      setting.secret === 'whole'
        ? (env[name] ?? '') && HIDDEN
        : shown(name, setting.secret, inForce[configKey(name)] ?? env[name] ?? setting.default),
    default: String(setting.default ?? ''),
    meaning: setting.description ?? '',
  }));
}

/** A sentence for each `GDX_` variable that is not a setting, with the name that may be meant. */
export function unknownSettings(properties: Properties, env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(properties);
  return Object.keys(env)
    .filter((name) => name.startsWith('GDX_') && !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      return `${name} is not a setting and changes nothing${near ? `; did you mean ${near}?` : ''}`;
    });
}

function configKey(name: string): string {
  const words = name.replace(/^GDX_/, '').toLowerCase();
  return words.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const IS_ADDRESS = /_(URI|URL|ISSUER|ENDPOINT)$/;

/** A value without its secrets. An address that cannot be read may have them anywhere, so it is hidden whole. */
function shown(name: string, secret: 'path' | undefined, value: unknown): string {
  const text = String(value ?? '');
  if (text === '' || !(IS_ADDRESS.test(name) || text.includes('://'))) return text;
  const uri = readUri(text);
  if (typeof uri !== 'string') return uri.shown;
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password) return HIDDEN;
  if (secret === 'path') return `${url.origin}/${HIDDEN}`;
  return url.search || url.hash ? `${url.origin}${url.pathname}?${HIDDEN}` : text;
}

/** `docs/settings.md`: every setting with its default and meaning, without effective values. */
export function settingsPage(properties: Properties): string {
  const rows = Object.entries(properties).map(([name, setting]) => {
    const { default: fallback, description = '' } = setting;
    const value = fallback === '' ? '' : `\`${String(fallback)}\``;
    return `| \`${name}\` | ${readers(setting)} | ${value} | ${cell(description)}${range(setting)} |`;
  });
  return `# Settings

For operators. Environment variables only, read once at start. A process that finds one of them wrong names all of them and ends with 78. \`gdx\`
reads all; what a process does not read changes nothing in it.
\`gdx config\` shows the values in force. This page is made from domain/settings/all-settings.ts by \`npm run -s gdx -- config --markdown > docs/settings.md\`.

| setting | read by | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** The processes beside `gdx`, which reads all settings. */
const readers = (setting: Setting) =>
  (['api', 'worker'] as const).filter((part) => isReadBy(part, setting)).join(', ') || 'gdx';

const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');

const range = ({ minimum, maximum }: Setting) =>
  minimum === undefined || maximum === undefined
    ? ''
    : ` (${minimum.toLocaleString('en-US')} to ${maximum.toLocaleString('en-US')})`;
