type Close = () => unknown;

/** A part that is started in a test may be of the whole file. */
export type Lifetime = 'test' | 'file';

const ofFile: Close[] = [];
const ofTest: Close[] = [];
let standing = ofFile;
type Hook = (hook: () => unknown) => void;
// There are none outside of jest.
const { beforeEach, afterEach, afterAll } = globalThis as Record<string, unknown> as Record<string, Hook>;
beforeEach?.(() => void (standing = ofTest));
afterEach?.(() => {
  standing = ofFile;
  return closeAll(ofTest);
});
afterAll?.(() => closeAll(ofFile));

/**
 * Whatever a test starts stops when the test is over, and what its file starts, with the file: the last one first.
 * @returns stops it sooner, and once
 */
export function closeAtEnd(close: Close, of: Lifetime = 'test'): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const once = () => (closed ??= (async () => void (await close()))());
  (of === 'file' ? ofFile : standing).push(once);
  return once;
}

/** All of them, also where one cannot be closed. */
async function closeAll(parts: Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of parts.splice(0).reverse())
    await Promise.resolve(close()).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Whatever `use` starts stops with it: one case of many in a test. */
export async function closingAfter<T>(use: () => Promise<T>): Promise<T> {
  const [around, own]: Close[][] = [standing, []];
  standing = own!;
  try {
    return await use();
  } finally {
    standing = around!;
    await closeAll(own!);
  }
}
