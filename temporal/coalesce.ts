/** The merged signal that waits for the end of the interval. */
interface Pending<Arg> {
  arg: Arg;
  sent: Promise<boolean>;
  send(): void;
}

interface Second<Arg> {
  timer: NodeJS.Timeout;
  pending?: Pending<Arg>;
}

/**
 * Sends at most one signal per channel and interval, a second by default, so that no caller can fill a history. The
 * first is sent at once. Those that follow within the interval are merged into one, which is sent at its end.
 */
export function coalesce<Arg>(
  send: (slug: string, arg: Arg) => Promise<boolean>,
  merge: (one: Arg, later: Arg) => Arg,
  everyMs = 1_000,
) {
  const seconds = new Map<string, Second<Arg>>();

  function begin(slug: string): void {
    const timer = setTimeout(() => end(slug), everyMs).unref(); // no signal is waiting yet
    seconds.set(slug, { timer });
  }

  function end(slug: string): void {
    const second = seconds.get(slug);
    clearTimeout(second?.timer);
    seconds.delete(slug);
    if (!second?.pending) return;
    begin(slug);
    second.pending.send();
  }

  function waiting(slug: string, second: Second<Arg>, arg: Arg): Pending<Arg> {
    let release = () => {};
    const due = new Promise<void>((resolve) => (release = resolve));
    const pending: Pending<Arg> = {
      arg,
      sent: due.then(() => send(slug, pending.arg)),
      send: () => release(),
    };
    second.timer.ref();
    return pending;
  }

  return {
    /** @returns whether the merged signal was accepted */
    signal(slug: string, arg: Arg): Promise<boolean> {
      const second = seconds.get(slug);
      if (!second) {
        begin(slug);
        return send(slug, arg);
      }
      if (second.pending) second.pending.arg = merge(second.pending.arg, arg);
      else second.pending = waiting(slug, second, arg);
      return second.pending.sent;
    },
    /** Sends all waiting signals at once. */
    async flush(): Promise<void> {
      const sending = [...seconds.values()].flatMap(({ pending }) => pending?.sent ?? []);
      for (const slug of [...seconds.keys()]) end(slug);
      await Promise.all(sending);
    },
  };
}
