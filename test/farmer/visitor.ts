import { request } from 'undici';

export interface SeenPage {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
  /** The address it was seen at, after redirects. */
  path: string;
}

/** A browser of the plainest kind: keeps a cookie, follows redirects, posts forms with what is in them. */
export class Visitor {
  cookie: string | undefined;
  page: SeenPage = { status: 0, headers: {}, html: '', path: '' };
  readonly paths: string[] = [];

  constructor(
    private readonly port: number,
    readonly headers: Record<string, string> = {},
  ) {}

  /** The same browser, so that two taps can be made at once. */
  twin(): Visitor {
    const twin = new Visitor(this.port, this.headers);
    twin.cookie = this.cookie;
    twin.page = this.page;
    return twin;
  }

  get(path: string): Promise<SeenPage> {
    return this.follow('GET', path);
  }

  /** Posts the form of the page, with these fields instead of its own. */
  submit(fields: Record<string, string | string[]>, headers: Record<string, string> = {}): Promise<SeenPage> {
    const { action, own } = formIn(this.page.html);
    const form = new URLSearchParams();
    for (const [name, value] of own) if (!(name in fields)) form.append(name, value);
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) form.append(name, one);
    }
    return this.post(action, form, headers);
  }

  post(
    path: string,
    form: URLSearchParams | string,
    headers: Record<string, string> = {},
  ): Promise<SeenPage> {
    return this.follow('POST', path, String(form), headers);
  }

  private async follow(
    method: string,
    path: string,
    body: string | null = null,
    headers: Record<string, string> = {},
  ): Promise<SeenPage> {
    this.paths.push(path);
    const answer = await request(`http://127.0.0.1:${this.port}${path}`, {
      method: method as 'GET',
      headers: {
        ...(this.cookie && { cookie: this.cookie }),
        ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' }),
        ...this.headers,
        ...headers,
      },
      body,
      reset: true, // nothing stays open when the tests have ended
    });
    const html = await answer.body.text();
    const set = answer.headers['set-cookie'];
    if (set) this.cookie = String(set).split(';')[0]!;
    const location = answer.headers['location'];
    if (answer.statusCode === 303 && typeof location === 'string') return this.follow('GET', location);
    this.page = { status: answer.statusCode, headers: answer.headers, html, path };
    return this.page;
  }
}

function formIn(html: string): { action: string; own: [string, string][] } {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? '';
  const own: [string, string][] = [];
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
    const [name, type] = [attribute('name'), attribute('type')];
    if (!name || (type === 'checkbox' && !/ checked/.test(input))) continue;
    own.push([name, unescaped(attribute('value') ?? '')]);
  }
  return { action, own };
}

const unescaped = (text: string) =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

/** What a reader sees of a page. */
export const textOf = (html: string) =>
  unescaped(html.replace(/<style>.*?<\/style>/gs, '').replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

/** The names of the accounts in the order of the page, with their ticks. */
export function rowsIn(html: string): { id: string; ticked: boolean; text: string }[] {
  return [...html.matchAll(/<label class="row"><input([^>]*)>(.*?)<\/label>/gs)].map(([, input, text]) => ({
    id: /value="([^"]*)"/.exec(input!)?.[1] ?? '',
    ticked: / checked/.test(input!),
    text: textOf(text!).trim(),
  }));
}
