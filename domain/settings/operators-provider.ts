import { isPlainPath, isPlainUrl, listOf } from './settings-rules';
import type { Given } from './setting';
import { plain } from '../text/masked';

/** How operators sign in at an OpenID Connect provider, and which of its groups may come in. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  /** The claim that names the groups. */
  groupsClaim: string;
  operateGroups: string[];
  readGroups: string[];
  /** Where operators reach `/ops`. */
  opsUrl: string;
}

/** What the provider states about a person. */
export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 80;

/** The role of a person by their groups; undefined for somebody without access. */
export function roleOfGroups(
  claims: Claims,
  { groupsClaim, operateGroups, readGroups }: ProviderSettings,
): 'operate' | 'read' | undefined {
  const groups = [claims[groupsClaim] ?? []].flat();
  const isIn = (wanted: string[]) => wanted.some((group) => groups.includes(group));
  return isIn(operateGroups) ? 'operate' : isIn(readGroups) ? 'read' : undefined;
}

/**
 * The name under which a person's actions are recorded. It contains the subject, because people may choose the other
 * claims themselves. It never equals the name of an operator with a token.
 */
export function nameOfClaims({ email, preferred_username, name, sub }: Claims): string {
  const texts = [email, preferred_username, name].map((text) =>
    typeof text === 'string' ? plain(text) : '',
  );
  const said = texts.find((text) => text !== '') ?? '';
  return `${said.slice(0, LONGEST_NAME)} (provider: ${plain(String(sub)).slice(0, LONGEST_NAME)})`.trim();
}

/** Reads the provider's address. Empty: operators sign in with tokens only. */
export function readIssuer(issuer: string, problems: string[], { part, production, texts }: Given): string {
  if (issuer === '' || part !== 'api') return issuer;
  if (!isPlainPath(issuer))
    problems.push(
      'GDX_OIDC_ISSUER must be a URL like https://login.example, without a user, query or fragment',
    );
  for (const name of ['GDX_OIDC_CLIENT_ID', 'GDX_OIDC_CLIENT_SECRET', ...(production ? ['GDX_OPS_URL'] : [])])
    if (!texts[name]) problems.push(`${name} must be set beside GDX_OIDC_ISSUER`);
  const groups = [texts['GDX_OIDC_OPERATE_GROUPS'], texts['GDX_OIDC_READ_GROUPS']].flatMap(listOf);
  if (groups.length === 0)
    problems.push('GDX_OIDC_OPERATE_GROUPS or GDX_OIDC_READ_GROUPS must name a group beside GDX_OIDC_ISSUER');
  return issuer;
}

export function readOpsUrl(url: string, problems: string[]): string {
  if (url && (!isPlainUrl(url) || new URL(url).href !== `${new URL(url).origin}/`))
    problems.push('GDX_OPS_URL must be scheme, host and port only, like https://ops.grain.example');
  return url;
}
