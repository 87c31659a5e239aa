import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { environment } from '../../../config';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
/**
 * What Chromium sets itself while it starts. A variable that is new to it moves the list that another of its threads may be
 * reading, and kills it now and then (SIGSEGV in `getenv` of glibc).
 */
const ENVIRONMENT = { FC_FONTATIONS: '1', DBUS_SESSION_BUS_ADDRESS: 'disabled:' };

/** An installed Chromium, else the one of @sparticuz/chromium. The caller handles signals. */
export function startBrowser(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path)) ?? unpacked();
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const env = { ...ENVIRONMENT, ...environment };
  return chromium.launch({ executablePath, args: FLAGS, env, ...signals });
}

// An ES module only, which jest cannot load.
function unpacked(): string {
  const script =
    "import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath())";
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}
