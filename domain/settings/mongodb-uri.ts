import { whyQuoted } from '../text/pasted-text';

/** What MONGODB_URI says of the connection, as MongoDB's driver takes it. */
export interface MongodbUri {
  /** Without ports; empty for a name that DNS resolves to the hosts (`mongodb+srv`). */
  hosts: string[];
  hasTls: boolean;
  /** The names of options that switch off the check of certificates. */
  unchecked: string[];
  user: string;
  password: string;
  /** The URI with its password and the other secrets of its options hidden. */
  shown: string;
}

const PART = '[^:@/?#[\\]]*';
const HOST = '(?:[\\w.-]+|\\[[\\d:a-fA-F.]+\\]|[\\w.%-]+\\.sock)(?::\\d+)?';
const FORM = new RegExp(
  `^(mongodb(?:\\+srv)?://)(?:(${PART})(:${PART})?@)?(${HOST}(?:,${HOST})*)(/[^?/#]*)?(?:\\?([^?#]*))?$`,
);
const UNCHECKED = ['tlsinsecure', 'tlsallowinvalidcertificates', 'tlsallowinvalidhostnames'];
const OLD_NAMES = ['sslvalidate', 'ssl_cert_reqs', 'sslverifycertificate'];
const SECRETS = /password|token|secret/i;
const HIDDEN = '(hidden)';

/**
 * Reads MONGODB_URI more strictly than the driver, so that neither takes for one thing what is another for the other.
 * @returns the problem as a text where it cannot be read: it never repeats the URI, which holds a password
 */
export function readUri(text: string): MongodbUri | string {
  const [, scheme, user = '', password = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) return unreadable(text);
  const options = query.split('&').flatMap((option) => (option ? [splitOption(option)] : []));
  if (![user, password, ...options.map(([, value]) => value)].every(isDecodable)) return unreadable(text);
  const wrong = wrongOption(options);
  if (wrong) return wrong;
  const tls = options.find(([name]) => isTls(name))?.[1];
  return {
    hosts: scheme === 'mongodb://' ? hosts.split(',').map((host) => host.replace(/:\d+$/, '')) : [],
    hasTls: tls === undefined ? scheme === 'mongodb+srv://' : tls === 'true',
    unchecked: options.flatMap(([name]) => (isUnchecked(name) ? [name] : [])),
    user: decodeURIComponent(user),
    password: decodeURIComponent(password.slice(1)),
    shown: [
      scheme,
      user && `${user}${password && `:${HIDDEN}`}@`,
      hosts,
      path,
      query && `?${options.map(shownOption).join('&')}`,
    ].join(''),
  };
}

const unreadable = (text: string): string =>
  /^mongodb(\+srv)?:\/\//.test(text)
    ? 'MONGODB_URI cannot be read: in user and password each of : / ? # [ ] @ % must be percent-encoded, such as %2F for /'
    : 'MONGODB_URI must begin with mongodb://';

type Option = [name: string, value: string];

function splitOption(option: string): Option {
  const at = option.indexOf('=');
  return at === -1 ? [option, ''] : [option.slice(0, at), option.slice(at + 1)];
}

const isTls = (name: string) => /^(tls|ssl)$/i.test(name);
const isUnchecked = (name: string) => [...UNCHECKED, ...OLD_NAMES].includes(name.toLowerCase());

/** The driver takes `true` and `false` alone for an option that is one of the two. */
function wrongOption(options: Option[]): string | undefined {
  for (const [name, value] of options) {
    const same = options.filter(
      ([other]) => other.toLowerCase() === name.toLowerCase() || (isTls(name) && isTls(other)),
    );
    if ((isTls(name) || isUnchecked(name)) && same.length > 1) return `MONGODB_URI says ${name} twice`;
    if ((isTls(name) || UNCHECKED.includes(name.toLowerCase())) && !/^(true|false)$/.test(value))
      return `MONGODB_URI: ${name} must be true or false, in small letters`;
    const quoted = whyQuoted(decodeURIComponent(value));
    if (quoted) return `MONGODB_URI: ${name} ${quoted}`;
  }
  return undefined;
}

function shownOption([name, value]: Option): string {
  if (SECRETS.test(name)) return `${name}=${HIDDEN}`;
  return `${name}=${value.replace(/((?:password|token|secret)[^:,]*:)[^,]*/gi, `$1${HIDDEN}`)}`;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
