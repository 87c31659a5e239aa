import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** An installed Chromium, else the one of @sparticuz/chromium. The caller handles signals. */
export function startBrowser(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path)) ?? unpacked();
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ executablePath, args: FLAGS, ...signals });
}

// An ES module only, which jest cannot load.
function unpacked(): string {
  const script =
    "import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath())";
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}
