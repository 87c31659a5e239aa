import { type AnyDeed, type Field, readInput, Refused, sayFlaw } from '../../control/deed';
import { farmerLink } from '../../control/make-farmer-link';
import { close } from '../../control/close';
import { pause, resume } from '../../control/pause-and-resume';
import { release } from '../../control/release';
import { deliver } from '../../control/request-delivery';
import { tryEndpoint } from '../../control/request-test-page';
import { resend } from '../../control/resend';
import { reset } from '../../control/reset';
import { rotateSecret } from '../../control/rotate-secret';
import { setNotifyUrl } from '../../control/set-notify-url';
import type { Channel } from '../../store/channels/channels';

/** What is wrong with a field of a form. */
export interface Wrong {
  field: string;
  message: string;
}

/** The deeds of a channel's page, in its order. Both doors, their routes and their forms are made from these rows. */
export const ACTIONS: readonly AnyDeed[] = [
  deliver,
  pause,
  resume,
  reset,
  tryEndpoint,
  resend,
  setNotifyUrl,
  rotateSecret,
  farmerLink,
  release,
  close,
];

/** The fields that a form draws before the reason. */
export const drawnFields = ({ input }: AnyDeed) =>
  Object.entries<Field<unknown>>(input).filter(([, { form }]) => form?.label);

/** Reads a form by the rules of the API. @returns the first field that is wrong, and why */
export function readDeedForm(
  deed: AnyDeed,
  channel: Channel,
  given: URLSearchParams,
): { input: Record<string, unknown> } | Wrong {
  const typed = (name: string, { form }: Field<unknown>) => {
    if (!form) return undefined;
    if (form.isList) return given.getAll(name);
    const text = given.get(name) ?? '';
    return form.typed ? form.typed(text) : text;
  };
  const read = readInput(deed, typed, channel);
  if ('input' in read) return read;
  const { field, flaw } = read.found[0]!;
  return { field, message: sayFlaw(deed, field, flaw) };
}

/** The message of an error at a field; undefined: the error is of another kind. */
export function wrongOf(deed: AnyDeed, error: unknown): Wrong | undefined {
  if (!(error instanceof Refused)) return undefined;
  return { field: error.field, message: sayFlaw(deed, error.field, error.flaw) };
}
