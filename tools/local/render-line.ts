const LEFT_OUT = new Set(['level', 'time', 'service', 'version', 'msg']);
// These fields come first: the cause of a failure, then where it happened.
const FIRST = ['failure_message', 'failure', 'channel', 'entity_type'];

/** A log line for people: JSON is made readable, fields without a value are left out, anything else is unchanged. */
export function renderLine(line: string): string {
  const entry = parse(line);
  if (!entry) return line;
  const keys = [...new Set([...FIRST, ...Object.keys(entry)])];
  const fields = keys
    .filter((key) => !LEFT_OUT.has(key) && entry[key] !== undefined && entry[key] !== null)
    .map((key) => `${key}=${renderValue(entry[key])}`);
  return [String(entry.level ?? '').padEnd(5), entry.msg ?? '', ...fields].join(' ').trimEnd();
}

function renderValue(value: unknown): string {
  if (isError(value)) return value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
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
