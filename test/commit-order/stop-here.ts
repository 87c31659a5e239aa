/** A place in a schedule: the code that comes to `here` waits there until the test lets it go on. */
export function stopHere() {
  let arrive = () => {};
  let goOn = () => {};
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const gone = new Promise<void>((resolve) => (goOn = resolve));
  return {
    reached,
    goOn: () => goOn(),
    here: (): Promise<void> => {
      arrive();
      return gone;
    },
  };
}
