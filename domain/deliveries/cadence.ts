import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/spans';

const UNITS = { s: 1_000, m: MINUTE_MS, h: HOUR_MS } as const;

export const CADENCE_MS = { default: HOUR_MS, min: 1_000, max: DAY_MS } as const;

/** `30s`, `15m` or `1h` in milliseconds; undefined for other forms, and outside 1 s to 24 h. */
export function parseCadence(text: string): number | undefined {
  const parts = /^(\d{1,6})(s|m|h)$/.exec(text);
  if (!parts) return undefined;
  const cadence = Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS];
  return cadence >= CADENCE_MS.min && cadence <= CADENCE_MS.max ? cadence : undefined;
}

export function formatCadence(cadenceMs: number): string {
  const unit = (['h', 'm', 's'] as const).find((name) => cadenceMs % UNITS[name] === 0);
  return unit ? `${cadenceMs / UNITS[unit]}${unit}` : `${cadenceMs}ms`;
}

/**
 * The next time a channel is due, in milliseconds since 1970. Every channel has a fixed grid of its own, which
 * spreads channels over the cadence and needs no stored state (docs/decisions/0006).
 */
export function nextDue(slug: string, cadenceMs: number, now: number): number {
  const phase = hash(slug) % cadenceMs;
  return Math.floor((now - phase) / cadenceMs + 1) * cadenceMs + phase;
}

// FNV-1a: small, stable, and needs no Node built-in, which a workflow must not import.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
