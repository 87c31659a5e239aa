import type { Command } from 'commander';
import { askCheck } from '../check/ask-check';
import { createCheckProgress, findingsInWords } from '../check/say-findings';
import type { ReadsEnvelope, ServiceCall } from '../run-command';
import { readTarget } from '../service/read-target';

/** `gdx.mjs check`: the same as `gdx integration check`, for the ERP itself. */
export function checkCommands(check: Command, { reads }: ReadsEnvelope): void {
  reads(
    check
      .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL')
      .option('--token-file <file>', 'holds the token. Unset: GDX_TOKEN')
      .option('--json', 'one JSON document on stdout'),
    run,
  );
}

async function run(call: ServiceCall, options: { url?: string; tokenFile?: string }) {
  const target = await readTarget(await call.serviceSettings(), 'erp', options);
  const found = await askCheck(target, createCheckProgress());
  return { json: found, facts: found.checked, ...findingsInWords(found.findings) };
}
