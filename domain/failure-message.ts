import type { Verdict } from './classify-answer';

/** The cause of a failed delivery and what to do, in one sentence. */
export function failureMessage(
  name: string,
  { reason, advice }: Pick<Verdict, 'reason' | 'advice'>,
  { attempts, askedUntil }: { attempts: number; askedUntil?: string | undefined },
): string {
  const more = [
    ...(attempts > 1 ? [`confirmed none of the last ${attempts} attempts`] : []),
    ...(askedUntil === undefined ? [] : [`asked for time until ${askedUntil} UTC`]),
  ];
  const last = more.pop();
  const did = [reason, ...more].join(', ');
  return `${name} ${did}${last ? ` and ${last}` : ''}: ${advice ?? 'the next run tries again from the same place'}`;
}

/** The reason of a failure that concerns more than one page: "answered 422 to every record tried". */
export const reasonOverMany = (reason: string, what: string) =>
  `${reason} ${/^answered \d{3}$/.test(reason) ? 'to' : 'when it was sent'} ${what}`;
