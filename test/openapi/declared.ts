import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Caller } from '../../api/http/route';
import { ROUTES } from '../../api/routes';
import { DOCUMENT, validatorAt, type Node } from './read-document';

interface Seen {
  status: number;
  contentType: string | undefined;
  /** Of a JSON answer; undefined where it was not read. */
  json?: unknown;
}

interface Operation {
  path: string;
  method: string;
}

/** @throws when the OpenAPI document does not declare the response or its body */
export function expectDeclared(method: string, address: string, seen: Seen): void {
  const problem = undeclared(method, address, seen);
  if (problem) throw new Error(`${method} ${address} answered ${seen.status}: ${problem} (api/openapi)`);
}

/**
 * Looks at every answer of a server, whoever asked.
 * @returns what was answered without being declared, so far
 */
export function watchAnswers(server: Server): string[] {
  const found: string[] = [];
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    response.on('finish', () => {
      const [method, address] = [String(request.method), String(request.url)];
      const contentType = response.getHeader('content-type') as string | undefined;
      const problem = undeclared(method, address, { status: response.statusCode, contentType });
      if (problem) found.push(`${method} ${address} answered ${response.statusCode}: ${problem}`);
    });
  };
  server.on('request', watch).on('checkContinue', watch);
  return found;
}

function undeclared(
  method: string,
  address: string,
  { status, contentType, json }: Seen,
): string | undefined {
  const type = contentType?.split(';')[0] ?? '';
  const pathname = address.replace(/[?#].*$/s, '');
  const paths = Object.keys(DOCUMENT.paths).filter((path) => matches(path, pathname));
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const path = paths.find((one) => DOCUMENT.paths[one][verb]);
  const others = path ? [] : UNDESCRIBED.filter((one) => matches(one.path, pathname));
  const other = others.find((one) => one.verb === verb);
  if (other) return undescribed(status, type, other.caller);
  if (!path) return withoutRoute(method, status, paths.length + others.length > 0);
  const operation = { path, method: verb };
  const answer: Node = DOCUMENT.paths[path][verb].responses[status];
  if (!answer) return 'no such status is declared';
  if (method === 'HEAD' || (!answer.content && !type)) return undefined;
  if (!answer.content?.[type]) return answer.content || status === 200 ? `no ${type} is declared` : undefined;
  return json === undefined ? undefined : wrongBody(operation, status, type, json);
}

// Pages, health and the reference are not in the document: these are all that they answer.
const STATUSES: Partial<Record<Caller, number[]>> = {
  anyone: [200, 304, 404, 429, 500, 503],
  ...everyOf(['visitor', 'farmer', 'sharer'], [200, 303, 400, 403, 404, 409, 421, 422, 429, 503]),
  ...everyOf(
    ['signing-in', 'operator', 'customer-signing-in', 'customer'],
    [200, 303, 400, 401, 403, 404, 422, 429, 500, 503],
  ),
};

function everyOf(callers: Caller[], statuses: number[]) {
  return Object.fromEntries(callers.map((caller) => [caller, statuses]));
}

function undescribed(status: number, type: string, caller: Caller): string | undefined {
  if (!STATUSES[caller]?.includes(status)) return 'no such status is expected';
  return type === 'application/json' && caller !== 'anyone' ? 'a page answers no JSON' : undefined;
}

const UNDESCRIBED = ROUTES.filter(({ caller }) => caller !== 'integration' && caller !== 'channel').map(
  ({ caller, method, path }) => ({
    path: path.replace(/:(\w+)/g, '{$1}'),
    verb: method.toLowerCase(),
    caller,
  }),
);

function wrongBody({ path, method }: Operation, status: number, type: string, json: unknown) {
  const validate = validatorAt('paths', path, method, 'responses', String(status), 'content', type, 'schema');
  return validate(json) ? undefined : JSON.stringify(validate.errors);
}

// The introduction of the document says these of every address.
function withoutRoute(method: string, status: number, known: boolean): string | undefined {
  if (!known && method === 'GET' && status === 302) return undefined; // api/http/lead-people
  if (status === 429) return undefined;
  const expected = !known ? 404 : method === 'OPTIONS' ? 204 : 405;
  return status === expected ? undefined : `${expected} is what an address without a route answers`;
}

const patterns = new Map<string, RegExp>();

function matches(path: string, pathname: string): boolean {
  const pattern = patterns.get(path) ?? patternOf(path);
  patterns.set(path, pattern);
  return pattern.test(pathname);
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : escaped(part)));
  return new RegExp(`^${parts.join('/')}$`);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
