const ALONE = 40;
const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!;

async function timed(page: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await page();
  return performance.now() - began;
}

/** How much longer a page takes, in the median, while something else is done: pages before and after that are the measure. */
export async function lateBeside(
  page: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<{ pages: number; ratio: number }> {
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < ALONE; round++) alone.push(await timed(page));
  let isDone = false;
  const done = act().finally(() => (isDone = true));
  while (!isDone) beside.push(await timed(page));
  await done;
  for (let round = 0; round < ALONE; round++) alone.push(await timed(page));
  const ratio = median(beside) / median(alone);
  console.log(`${beside.length} pages beside, ${alone.length} alone: ${ratio.toFixed(2)}`);
  return { pages: beside.length, ratio };
}
