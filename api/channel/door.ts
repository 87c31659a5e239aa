import type { Channel } from '../../store/channels/channels';
import type { OperatorAction } from '../../store/callers/operator-actions';
import type { PageSession } from '../../store/sessions/page-sessions';
import type { Store } from '../../store/store';

/** The paths of a door's pages. `channel` may contain `:channel_slug`, and paths of actions begin with it. */
type DoorPaths = Record<'home' | 'signIn' | 'signOut' | 'channel', string>;

/** Somebody with a session. */
export interface SignedIn {
  session: PageSession;
  /** The name under which actions are recorded. */
  by: string;
  mayAct: boolean;
  /** The only channel that a customer sees, as it is now. */
  channel?: Channel;
}

/** A way in to the pages of channels: the operators' to all of them, a customer's to its own. */
export interface Door {
  via: Extract<OperatorAction['via'], '/ops' | '/customer'>;
  people: 'operators' | 'customers';
  /** Whose token opens it. */
  holder: 'operator' | 'channel';
  cookie: string;
  paths: DoorPaths;
  /** The page after signing in, always one of the door's whatever the form contains. */
  wayOn(to: string | null): string;
  /** @returns the cookie's value and whose it is; null for a token that opens nothing from this address */
  open(store: Store, token: string, ip: string): Promise<{ cookie: string; who: string } | null>;
  /** @returns null when there is no such session or it has ended */
  find(store: Store, cookie: string, ip: string): Promise<SignedIn | null>;
  close(store: Store, session: PageSession): Promise<void>;
  /** Keeps the page that answers a form, for the request that shows it. */
  keep(store: Store, session: PageSession, page: string): Promise<void>;
  /** The page that was kept, once. */
  take(store: Store, session: PageSession): Promise<string | undefined>;
}

/** The address of a page for one channel. */
export const pathOf = ({ paths }: Door, page: keyof DoorPaths, slug: string) =>
  paths[page].replace(':channel_slug', slug);

/** The address of an action, for one channel or as in the route table. */
export const actionPath = ({ paths }: Door, action: string, slug = ':channel_slug') =>
  `${paths.channel.replace(':channel_slug', slug)}/${action}`;

/** The page that what a form of this address is answered with is shown at: signing in, or the page above it. */
export const pageOfForm = ({ paths }: Door, path: string) =>
  path === paths.signIn ? path : path.replace(/\/[^/]+$/, '');
