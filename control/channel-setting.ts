import type { OutboundRule } from '../domain/settings/denied-address';
import type { Before } from '../store/callers/operator-actions';
import type { Channel, ChannelSettings } from '../store/channels/channels';
import type { ChannelChanges } from '../store/channels/set-channel';
import { flaw, type Flawed } from './deed';

/** What operators set of a channel, when they add it or later. */
export type Settable = Required<ChannelSettings & ChannelChanges>;

/** A row of the table of a channel's settings. */
export interface ChannelSetting<T = unknown> {
  /** Of `gdx channel add` and `gdx channel set`. */
  option: readonly [flags: string, says: string, saysOfSet?: string];
  /** The one command that has it. */
  only?: 'add' | 'set';
  /** `add` refuses to go without it. */
  isNeeded?: true;
  /** The value of `add` where none is given. A list is of an option that is repeatable. */
  usual?: T;
  choices?: readonly string[];
  /** The value that the word `off` gives it in `set`. */
  off?: T;
  /** The text of a second option, `-file`: a line of the file is read, and each line for a list. */
  fromFile?: string;
  /** Makes the value from the text. Left out: it is the text. A flaw is a whole sentence. */
  read?(text: string, before?: T): T | Flawed;
  /** Judges what was read, by the settings of the process. */
  check?(value: T, rules: OutboundRule): T | Flawed;
  /** What holds for a channel where nothing is stored. */
  absent?: T;
  /** How people write the value. */
  written?(value: T): string;
  /** Its name in what `gdx` shows, where it differs. */
  member?: string;
  /** What is shown and recorded of a secret, or of what is no plain value. */
  shown?(channel: Channel): Before[string];
  /** Its line on the channel's page. The text is what is shown, unless it is given; null: no line. */
  page?: readonly [label: string, text?: (channel: Channel) => string | null];
}

/** A setting that is on or off; off where nothing is stored. */
export const switchSetting = (
  row: Pick<ChannelSetting<boolean>, 'option' | 'only' | 'page'>,
): ChannelSetting<boolean> => ({
  ...row,
  absent: false,
  read: (text) => (text === 'on' || text === 'off' ? text === 'on' : flaw('Use on or off.')),
});

/** A channel's value of a row, as `gdx` shows it. Null: there is none. */
export function shownOf(
  channel: Channel,
  name: keyof Settable,
  { shown, written, absent }: ChannelSetting,
): Before[string] {
  if (shown) return shown(channel);
  const value = (channel[name] === '' ? undefined : channel[name]) ?? absent ?? null;
  return (written ? written(value) : value) as Before[string];
}
