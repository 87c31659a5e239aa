import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../domain/instants';

const EXAMPLE = 'Write it like 2026-10-01T00:00:00Z.';
const CLOCK_SKEW_MS = 5 * 60_000;

/** An instant of the past, as `--timestamp` and `--since` take it. */
export function parseInstantOption(text: string): Date {
  const instant = parseInstant(text);
  if (instant === undefined) throw new InvalidArgumentError(`It is not an instant. ${EXAMPLE}`);
  if (instant > Date.now() + CLOCK_SKEW_MS) throw new InvalidArgumentError(`It is in the future. ${EXAMPLE}`);
  return new Date(instant);
}
