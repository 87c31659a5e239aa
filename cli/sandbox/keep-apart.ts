import { isTestCompany } from '../../domain/records/company-id';
import { listIntegrations } from '../../store/callers/integrations';
import { listChannels } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { CliError, UsageError } from '../../client/cli-error';
import { note } from '../../client/print';

/**
 * Keeps real and test records apart where a channel is added (docs/contract.md C25). `companies` are the channel's; none
 * means every company.
 * @throws CliError
 */
export async function refuseMixed(store: Store, companies: readonly string[]): Promise<void> {
  const tests = companies.filter(isTestCompany);
  if (tests.length > 0 && companies.length > 1)
    throw new UsageError(
      `${tests.join(', ')} is a test company of \`gdx sandbox\`, and a channel carries it alone`,
      'leave it out, or the others',
    );
  if (companies.length > 0) return;
  const test = (await listIntegrations(store)).find(({ company }) => isTestCompany(company.id));
  if (test)
    refuseInProduction(store, `${test.company.id} of \`gdx sandbox\` would be in a channel of all companies`);
}

/**
 * The same before test records are pushed: their channel carries the test company alone, and in production no
 * channel carries every company.
 * @throws CliError
 */
export async function requireApart(
  store: Store,
  { _id: slug, companies }: { _id: string; companies: readonly string[] },
  testCompany: string,
): Promise<void> {
  if (companies.length !== 1 || companies[0] !== testCompany)
    throw new CliError(
      `channel ${slug} carries ${companies.join(', ') || 'every company'}: test records have no place among real ones`,
      `add a channel for them, like \`gdx channel add ${slug}-test --name ${slug}-test --delivery pull --company ${testCompany}_test\`, then \`gdx sandbox ${slug}-test\``,
    );
  const open = (await listChannels(store)).filter((channel) => channel.companies.length === 0);
  if (open.length > 0)
    refuseInProduction(
      store,
      `${open.map(({ _id }) => _id).join(', ')} would get the test records too, having been added with --all-companies`,
    );
}

/**
 * Outside production no token is live (docs/contract.md A14), and the README adds such a channel: a remark is
 * enough.
 */
function refuseInProduction(store: Store, problem: string): void {
  if (!store.production) return note(`Beware: ${problem}.`);
  throw new CliError(
    problem,
    'in production a test company and a channel of every company exclude each other',
  );
}
