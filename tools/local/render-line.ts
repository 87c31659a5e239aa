const LEFT_OUT = new Set(['level', 'time', 'service', 'version', 'msg']);
const MOST_FIELDS = 8;
const LONGEST = 80;

/** A log line for people: JSON is shortened, anything else is unchanged. */
export function renderLine(line: string): string {
  const entry = parse(line);
  if (!entry) return line;
  const fields = Object.entries(entry)
    .filter(([key]) => !LEFT_OUT.has(key))
    .slice(0, MOST_FIELDS)
    .map(([key, value]) => `${key}=${renderValue(value)}`);
  return [String(entry.level ?? '').padEnd(5), entry.msg ?? '', ...fields].join(' ').trimEnd();
}

function renderValue(value: unknown): string {
  if (isError(value)) return cut(value.message);
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function isError(value: unknown): value is { message: string } {
  return (
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
  );
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
