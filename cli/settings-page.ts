interface Setting {
  type?: string;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
}

/** `docs/settings.md`: every setting with its default and meaning, without effective values. */
export function settingsPage(properties: Record<string, Setting>): string {
  const rows = Object.entries(properties).map(([name, setting]) => {
    const { default: fallback, description = '' } = setting;
    return `| \`${name}\` | ${fallback === '' ? '' : `\`${String(fallback)}\``} | ${cell(description)}${range(setting)} |`;
  });
  return `# Settings

For operators. Environment variables only, read once at start. A process that finds one of them wrong names all of them and ends with 78.
\`gdx config\` shows the values in force. This page is made from domain/all-settings.ts by \`npm run -s gdx -- config --markdown > docs/settings.md\`.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}

Temporal’s own names are used as they are: \`TEMPORAL_TLS\`, \`TEMPORAL_TLS_CLIENT_CERT_PATH\`, \`TEMPORAL_API_KEY\` and so on.
`;
}

const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');

const range = ({ minimum, maximum }: Setting) =>
  minimum === undefined || maximum === undefined
    ? ''
    : ` (${minimum.toLocaleString('en-US')} to ${maximum.toLocaleString('en-US')})`;
