import { request } from 'undici';

interface Seen {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
  path: string;
}

type Fields = Record<string, string | string[]>;

/** A minimal browser without JavaScript: keeps cookies, follows redirects and posts forms. */
export class OpsBrowser {
  cookies = new Map<string, string>();
  onCookie: (set: string) => void = () => {};
  page: Seen = { status: 0, headers: {}, html: '', path: '' };

  constructor(private readonly port: number) {}

  /** The same browser, so that two taps can be made at once. */
  twin(): OpsBrowser {
    const twin = new OpsBrowser(this.port);
    twin.cookies = new Map(this.cookies);
    twin.page = this.page;
    return twin;
  }

  get(path: string): Promise<Seen> {
    return this.follow('GET', path);
  }

  /** Posts the form of the page that goes to this address, with these fields instead of its own. */
  submit(action: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Seen> {
    const form = new URLSearchParams();
    for (const [name, value] of this.fieldsOf(action)) if (!(name in fields)) form.append(name, value);
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) form.append(name, one);
    }
    return this.follow('POST', action, String(form), headers);
  }

  private fieldsOf(action: string): [string, string][] {
    const start = this.page.html.indexOf(`method="post" action="${action}"`);
    if (start < 0) throw new Error(`no form on ${this.page.path} goes to ${action}`);
    const form = this.page.html.slice(start, this.page.html.indexOf('</form>', start));
    return [...form.matchAll(/<input[^>]*>/g)].flatMap(([input]): [string, string][] => {
      const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
      const name = attribute('name');
      if (!name || (attribute('type') === 'checkbox' && !/ checked/.test(input))) return [];
      return [[name, attribute('value') ?? '']];
    });
  }

  async follow(
    method: string,
    path: string,
    body: string | null = null,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const answer = await request(`http://127.0.0.1:${this.port}${path}`, {
      method: method as 'GET',
      headers: {
        cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
        ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' }),
        ...headers,
      },
      body,
      reset: true, // nothing stays open when the tests have ended
    });
    const html = await answer.body.text();
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) this.keep(set);
    const { location } = answer.headers;
    if (answer.statusCode === 303 && typeof location === 'string') return this.follow('GET', location);
    this.page = { status: answer.statusCode, headers: answer.headers, html, path };
    return this.page;
  }

  private keep(set: string): void {
    this.onCookie(set);
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
    if (value === '') this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}
