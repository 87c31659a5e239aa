import { pause, resume } from '../../control/pause-and-resume';
import type { Result } from '../../control/record-action';
import { everything, release } from '../../control/release';
import { ChannelPaused, requestDelivery } from '../../control/request-delivery';
import { requestTestPage } from '../../control/request-test-page';
import { resend, ResendInProgress } from '../../control/resend';
import { reset } from '../../control/reset';
import { setNotifyUrl } from '../../control/set-notify-url';
import { addTo } from '../../domain/add-to';
import { checkNotifyUrl } from '../../domain/base-url';
import { type EntityType, isEntityType } from '../../domain/entity-types';
import { legible, trimmed } from '../../domain/pasted-text';
import type { ChannelActionName, OperatorAction } from '../../store/callers/operator-actions';
import type { Channel } from '../../store/channels/channels';
import { TooManyRecords } from '../../store/window/choose-records';
import { HttpError } from '../http/http-error';
import type { AskerWithReason } from './asker-of';
import type { Door } from './door';
import { MOST_CHARACTERS, resendRequest, TOO_MANY } from './resend-request';
import { resetRequest, type ResetRequest } from './reset-request';
import type { PageDeps } from './signed-in-state';

/** An action's name: the last part of its path, and the first part of the ids in its form. */
export type ActionName = ChannelActionName | 'rotate-secret' | 'notify' | 'link';

/** What is wrong with a field of a form. */
export interface Wrong {
  field: string;
  message: string;
}

/** A field of an action's form, before the reason. */
export interface ActionField {
  name: string;
  label: string;
  input: { type: string; step?: string; required?: true; maxLength?: number };
  /** The form also asks for an entity type. */
  ofType?: true;
  filled?: (channel: Channel) => string;
}

/**
 * One action on a channel's page. Both doors, their routes and their forms are made from these rows. A new one is a row
 * here, its name in `ChannelActionName` and a use case in control/.
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
    field?: ActionField;
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
  /** Turns an error of the action into a message at a field; undefined: the error is thrown. */
  wrong?: (error: unknown) => Wrong | undefined;
}

const BOTH = ['operator', 'channel'] as const;
const ONE_AT_A_TIME = 'Another account is being sent again: try again in a few seconds';
const MAX_RELEASE_FORM = 256 * 1024;
const isActive = ({ state }: Channel) => state === 'active';

/** In the order of the page. */
export const ACTIONS: readonly ChannelAction[] = [
  {
    name: 'deliver',
    doors: ['operator'],
    done: 'Deliver now',
    form: {
      title: 'Deliver now',
      says: 'Runs at once instead of at the next due time.',
    },
    isOffered: isActive,
    read: (channel, _, deps) => (asker) => requestDelivery(deps, channel, asker),
    // The page offers it for a channel that runs; it may have been paused since.
    wrong: (error) =>
      error instanceof ChannelPaused
        ? { field: 'reason', message: 'The channel is paused: resume it, and it delivers at once' }
        : undefined,
  },
  {
    name: 'pause',
    doors: ['operator'],
    done: 'Paused',
    form: {
      title: 'Pause',
      says: 'Sends nothing more until it is resumed. Nothing is lost.',
    },
    isOffered: isActive,
    read: (channel, _, deps) => (asker) => pause(deps, channel, asker),
  },
  {
    name: 'resume',
    doors: ['operator'],
    done: 'Resumed',
    form: {
      title: 'Resume',
      says: 'Delivers at once, from where the customer left off.',
    },
    isOffered: (channel) => !isActive(channel),
    read: (channel, _, deps) => (asker) => resume(deps, channel, asker),
  },
  {
    name: 'reset',
    doors: BOTH,
    done: 'Reset a marker',
    form: {
      title: 'Reset a marker',
      says: 'Sends again what has changed since a time. The next page says how much that is, and asks.',
      asks: 'See what would be resent',
      field: {
        name: 'timestamp',
        label: 'Changed at or after (UTC)',
        ofType: true,
        input: { type: 'datetime-local', step: '1', required: true },
      },
    },
    read(channel, form, deps) {
      const asked = readReset(channel, form);
      return 'message' in asked ? asked : (asker) => reset(deps, channel, asked, asker);
    },
  },
  {
    name: 'test',
    doors: BOTH,
    done: 'Posted a test page',
    form: {
      title: 'Post a test page',
      says: 'Posts an empty page, marked as a test, and says what the answer means. No marker moves.',
    },
    isOffered: ({ delivery }) => delivery !== 'pull',
    read: (channel, _, deps) => (asker) => requestTestPage(deps, channel, asker),
  },
  {
    name: 'resend',
    doors: BOTH,
    done: 'Sent records again',
    form: {
      title: 'Send an account again',
      says: 'Sends all records of one type of one account again. No marker moves.',
      field: {
        name: 'account',
        label: 'Account, as in the feed: 42-1001',
        ofType: true,
        input: { type: 'text', required: true, maxLength: MOST_CHARACTERS },
      },
    },
    read(channel, form, deps) {
      const body = { entity_type: form.get('entity_type'), account: trimmed(form.get('account') ?? '') };
      const asked = byTheRules({ account: 'The account' }, () => resendRequest(channel, body));
      return 'message' in asked ? asked : (asker) => resend(deps, channel, asked, asker);
    },
    wrong(error) {
      if (error instanceof TooManyRecords) return { field: 'account', message: `The account ${TOO_MANY}` };
      const isBusy = error instanceof ResendInProgress;
      return isBusy ? { field: 'account', message: ONE_AT_A_TIME } : undefined;
    },
  },
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
      field: {
        name: 'notify_url',
        label: 'Address',
        input: { type: 'url' },
        filled: ({ notify_url = '' }) => notify_url,
      },
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
    doors: BOTH,
    done: 'Released records',
    maxFormBytes: MAX_RELEASE_FORM,
    read(channel, form, deps) {
      const chosen = form.get('which') === 'all' ? everything : byType(form.getAll('record'));
      if (chosen.size === 0) return { field: 'record', message: 'Choose the records to send again' };
      return (asker) => release(deps, channel, chosen, asker);
    },
  },
];

// The value of a browser's date and time field. It has no offset, and is read as UTC like all times here.
const BROWSERS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** The same rules as the customer's own reset (docs/contract.md C15). */
export function readReset(channel: Channel, given: URLSearchParams): ResetRequest | Wrong {
  const typed = legible(given.get('timestamp') ?? '');
  const seconds = BROWSERS_TIME.exec(typed)?.[1] ? '' : ':00';
  const timestamp = BROWSERS_TIME.test(typed) ? `${typed}${seconds}Z` : typed;
  const entityType = given.get('entity_type');
  return byTheRules({ timestamp: 'The time' }, () =>
    resetRequest(channel, { entityType, dryRun: undefined, body: { timestamp } }),
  );
}

/**
 * Reads a form by the rules of the API.
 * @param names the names of the fields on the page
 * @returns what was read, or the first field that is wrong, and why
 */
function byTheRules<T extends object>(names: Record<string, string>, read: () => T): T | Wrong {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HttpError) || !error.validation_messages) throw error;
    const [field, messages] = Object.entries(error.validation_messages)[0]!;
    const message = `${names[field] ?? 'The entity type'} ${messages[0]}`;
    return { field, message: message.replace('The entity type this', 'This') };
  }
}

/** Groups the ticked records, `<entity_type>/<record>` each, by entity type. */
function byType(ticked: string[]): Map<EntityType, string[]> {
  const chosen = new Map<EntityType, string[]>();
  for (const tick of ticked) {
    const [type, ...record] = tick.split('/');
    if (isEntityType(type)) addTo(chosen, type, record.join('/'));
  }
  return chosen;
}
