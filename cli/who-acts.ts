import { timeNow } from '../domain/time/elapsed';
import { userInfo } from 'node:os';
import { refusedBy } from '../domain/settings/access';
import { findOperatorByToken, roleOf } from '../store/callers/operators';
import { noteTokenUse } from '../store/callers/token-use';
import type { Store } from '../store/store';
import { CliError, EXIT } from '../client/cli-error';
import type { Connections } from './connections';

/** The name under which a change is recorded. @throws CliError in production, if no operator is named */
export async function whoActs({ settings, store }: Pick<Connections, 'settings' | 'store'>): Promise<string> {
  const { production, operator, operatorToken } = await settings();
  if (operatorToken) return nameOfToken(await store(), operatorToken);
  if (operator) return operator;
  if (!production) return userName();
  // In a container all people have the same user name.
  throw new CliError(
    'in production it is recorded who changes something',
    'set GDX_OPERATOR_TOKEN to your token of `gdx operator add`, or GDX_OPERATOR to your name',
    EXIT.configuration,
  );
}

// The addresses of a token are for signing in. A call of gdx has no address to compare with them.
async function nameOfToken(store: Store, token: string): Promise<string> {
  const found = await findOperatorByToken(store, token);
  const refused = found
    ? refusedBy({ expires_at: found.access?.expires_at ?? null }, '', timeNow())
    : 'unknown';
  if (!found || refused)
    throw new CliError(
      `GDX_OPERATOR_TOKEN opens nothing: ${refused}`,
      '`gdx operator list` shows who has access and until when',
      EXIT.configuration,
    );
  if (roleOf(found) !== 'operate')
    throw new CliError(`${found.name} may look and not act`, 'ask for the role `operate`');
  await noteTokenUse(store, found.token_hash);
  return found.name;
}

// A container's user may have no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
