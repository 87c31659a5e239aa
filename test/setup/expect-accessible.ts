import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

declare const axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };

/** axe finds nothing on the page as it is now. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const result = await axe.run();
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  expect({ state, violations }).toEqual({ state, violations: [] });
}
