import { type AnyDeed, type Field, readInput, Refused, sayFlaw } from '../../control/deed';
import { pause, resume } from '../../control/pause-and-resume';
import type { Result } from '../../control/record-action';
import { everything, release } from '../../control/release';
import { deliver } from '../../control/request-delivery';
import { tryEndpoint } from '../../control/request-test-page';
import { resend } from '../../control/resend';
import { reset } from '../../control/reset';
import { setNotifyUrl } from '../../control/set-notify-url';
import { addTo } from '../../domain/add-to';
import { checkNotifyUrl } from '../../domain/base-url';
import { type EntityType, isEntityType } from '../../domain/entity-types';
import { trimmed } from '../../domain/pasted-text';
import type { ChannelActionName, OperatorAction } from '../../store/callers/operator-actions';
import type { Channel } from '../../store/channels/channels';
import type { AskerWithReason } from './asker-of';
import type { Door } from './door';
import type { PageDeps } from './signed-in-state';

/** An action's name: the last part of its path, and the first part of the ids in its form. */
export type ActionName = ChannelActionName | 'rotate-secret' | 'notify' | 'link';

/** What is wrong with a field of a form. */
export interface Wrong {
  field: string;
  message: string;
}

/** A field of an action's form, before the reason: a choice where it has choices, else an input. */
export interface ActionField {
  name: string;
  label: string;
  input?: { type: string; step?: string; required?: true; maxLength?: number } | undefined;
  choices?: ((channel: Channel) => readonly string[]) | undefined;
  filled?: (channel: Channel) => string;
}

/**
 * One action on a channel's page. Both doors, their routes and their forms are made from these rows. Most are made from a
 * deed of control/; the others stand below.
 */
export interface ChannelAction {
  name: ActionName;
  doors: readonly Door['holder'][];
  /** The name under which it is recorded, where it differs from `name`. */
  recorded?: OperatorAction['action'];
  /** What the list of past actions calls it. */
  done: string;
  isOffered?: (channel: Channel) => boolean;
  /** Without it, the form is elsewhere: on a page of its own, or in the list of records set aside. */
  form?: {
    title: string;
    says: string;
    fields?: readonly ActionField[];
    /** The label of the button where a page in between asks for confirmation (action-routes.ts). */
    asks?: string;
  };
  /** The text of the link to the action's own page. The link is on the channel's page. */
  link?: string;
  maxFormBytes?: number;
  /** Reads the posted form. Missing only where the action has a handler of its own. @returns what it asks for, or the field that is wrong */
  read?: (
    channel: Channel,
    form: URLSearchParams,
    deps: PageDeps,
  ) => ((asker: AskerWithReason) => Promise<Result | undefined>) | Wrong;
  /** The deed that it is made from. */
  deed?: AnyDeed;
}

const MAX_RELEASE_FORM = 256 * 1024;

/** The action of a deed. */
function actionOf(deed: AnyDeed): ChannelAction {
  const { doors, title, says, done, isOffered, asks } = deed.page!;
  const fields = Object.entries<Field<unknown>>(deed.input).flatMap(([name, { form }]) =>
    form ? [{ name, label: form.label, input: form.input, choices: form.choices }] : [],
  );
  return {
    name: deed.name,
    doors,
    done,
    ...(isOffered && { isOffered }),
    form: { title, says, fields, ...(asks && { asks: asks.open }) },
    deed,
    read(channel, form, deps) {
      const read = readDeedForm(deed, channel, form);
      return 'message' in read ? read : (asker) => deed.run(deps, channel, read.input, asker);
    },
  };
}

/** Reads a form by the rules of the API. @returns the first field that is wrong, and why */
export function readDeedForm(
  deed: AnyDeed,
  channel: Channel,
  given: URLSearchParams,
): { input: Record<string, unknown> } | Wrong {
  const typed = (name: string, { form }: Field<unknown>) => {
    const text = form ? (given.get(name) ?? '') : undefined;
    return text !== undefined && form?.typed ? form.typed(text) : text;
  };
  const read = readInput(deed, typed, channel);
  if ('input' in read) return read;
  const { field, flaw } = read.found[0]!;
  return { field, message: sayFlaw(deed, field, flaw) };
}

/** The message of an error at a field; undefined: the error is of another kind. */
export function wrongOf({ deed }: ChannelAction, error: unknown): Wrong | undefined {
  if (!deed || !(error instanceof Refused)) return undefined;
  return { field: error.field, message: sayFlaw(deed, error.field, error.flaw) };
}

/** In the order of the page. */
export const ACTIONS: readonly ChannelAction[] = [
  ...[deliver, pause, resume, reset, tryEndpoint, resend].map(actionOf),
  {
    name: 'notify',
    doors: ['channel'],
    recorded: 'channel set',
    done: 'Set the notification address',
    form: {
      title: 'Set the notification address',
      says:
        'We post there, signed like a page, when deliveries fail, pause and recover, and when farmers begin or stop ' +
        'sharing. Empty: nothing is told.',
      fields: [
        {
          name: 'notify_url',
          label: 'Address',
          input: { type: 'url' },
          filled: ({ notify_url = '' }) => notify_url,
        },
      ],
    },
    read(channel, form, deps) {
      const typed = trimmed(form.get('notify_url') ?? '');
      const checked = typed === '' ? { notifyUrl: '' } : checkNotifyUrl(typed, deps.pages);
      if ('problem' in checked) return { field: 'notify_url', message: `The address ${checked.problem}` };
      return (asker) => setNotifyUrl(deps, channel, checked.notifyUrl, asker);
    },
  },
  {
    name: 'rotate-secret',
    doors: ['channel'],
    recorded: 'channel rotate-secret',
    done: 'Rotated the signing secret',
    link: 'Rotate the signing secret',
  },
  {
    name: 'link',
    doors: ['channel'],
    recorded: 'channel link',
    done: 'Made a link for a farmer',
    link: 'Make a link for a farmer',
    isOffered: ({ scope }) => scope === 'subscribed',
  },
  {
    name: 'release',
    doors: ['operator', 'channel'],
    done: 'Released records',
    maxFormBytes: MAX_RELEASE_FORM,
    read(channel, form, deps) {
      const chosen = form.get('which') === 'all' ? everything : byType(form.getAll('record'));
      if (chosen.size === 0) return { field: 'record', message: 'Choose the records to send again' };
      return (asker) => release(deps, channel, chosen, asker);
    },
  },
];

/** Groups the ticked records, `<entity_type>/<record>` each, by entity type. */
function byType(ticked: string[]): Map<EntityType, string[]> {
  const chosen = new Map<EntityType, string[]>();
  for (const tick of ticked) {
    const [type, ...record] = tick.split('/');
    if (isEntityType(type)) addTo(chosen, type, record.join('/'));
  }
  return chosen;
}
