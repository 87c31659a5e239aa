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
  const next = askedUntil === undefined ? 'the next run tries again' : 'a run after that tries again';
  return `${name} ${did}${last ? ` and ${last}` : ''}: ${advice ?? `${next} from the same place`}`;
}

/**
 * Describes a refusal of more records than one run may set aside. Records that are already set aside stay so,
 * and the rest waits for a person.
 */
export const ofTooMany = <V extends Verdict>(verdict: V, many: string): V => ({
  ...verdict,
  reason: reasonOverMany(verdict.reason, many),
  advice: 'ask the customer what is wrong with those set aside',
});

/**
 * Describes a failure of the endpoint, which refuses every record.
 * @param only the record, if just one was refused
 */
export const ofEndpoint = <V extends Verdict>(verdict: V, only?: string): V => ({
  ...verdict,
  reason: reasonOverMany(
    verdict.reason,
    only ? `record ${only}, with no other to compare it with` : 'every record tried',
  ),
  advice: verdict.advice ?? 'ask the customer what its endpoint expects; nothing was set aside',
});

/** The reason of a failure that concerns more than one page: "answered 422 to every record tried". */
export const reasonOverMany = (reason: string, what: string) =>
  `${reason} ${/^answered \d{3}$/.test(reason) ? 'to' : 'when it was sent'} ${what}`;

/**
 * Describes a delivery that our own side has failed, through all of Temporal's retries.
 * @param cause the error of the last try, as Temporal holds it; undefined where Temporal has none
 */
export function ownFailureMessage(cause: { type?: string | null; message: string } | undefined): string {
  const ofProxy = { problem: 'No page could be sent', why: cause?.message, look: 'check GDX_OUTBOUND_PROXY' };
  const ofUs = { problem: 'MongoDB or a worker failed', why: cause?.type, look: 'see gdx doctor' };
  const { problem, why, look } = cause?.type === 'ProxyAway' ? ofProxy : ofUs;
  return `${problem} for ten minutes${why ? ` (${why})` : ''}: the next run tries again from the same place; ${look}`;
}
