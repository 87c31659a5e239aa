import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';

export interface SeenPage {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
  /** The address it was seen at, after redirects. */
  path: string;
}

// Of a provider that hangs.
const LONGEST_WAIT_MS = 300;

/** A minimal browser: keeps cookies, follows redirects and posts forms. */
export class Visitor {
  cookie: string | undefined;
  page: SeenPage = { status: 0, headers: {}, html: '', path: '' };
  readonly paths: string[] = [];
  /** The status that the last form was answered with, before redirects. */
  answered = 0;
  /** For the code that is sent after the answer. */
  waits = true;

  constructor(
    private readonly port: number,
    readonly headers: Record<string, string> = {},
  ) {}

  /** The same browser, so that two taps can be made at once. */
  twin(): Visitor {
    const twin = new Visitor(this.port, this.headers);
    twin.cookie = this.cookie;
    twin.waits = this.waits;
    twin.page = this.page;
    return twin;
  }

  /** `200 /subscriptions/code` */
  get at(): string {
    return `${this.page.status} ${this.page.path}`;
  }

  /** What the page says. */
  get text(): string {
    return textOf(this.page.html);
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

  /** Chooses on the page of accounts, and saves. */
  async save(choice: Record<string, string | string[]>): Promise<SeenPage> {
    await this.submit(choice);
    return this.submit({ do: 'save' });
  }

  post(
    path: string,
    form: URLSearchParams | string,
    headers: Record<string, string> = {},
  ): Promise<SeenPage> {
    return this.follow('POST', path, String(form), headers);
  }

  private keep(cookie: string): void {
    const [name] = cookie.split('=');
    const others = this.cookie?.split('; ').filter((one) => !one.startsWith(`${name}=`)) ?? [];
    this.cookie = [...others, cookie].join('; ');
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
    if (method === 'POST') this.answered = answer.statusCode;
    const html = await answer.body.text();
    const set = answer.headers['set-cookie'];
    for (const cookie of set ? [set].flat() : []) this.keep(cookie.split(';')[0]!);
    // A code is sent after the answer.
    if (method === 'POST' && this.waits) await Promise.race([whenAllIsDone(), setTimeout(LONGEST_WAIT_MS)]);
    const location = answer.headers['location'];
    if (answer.statusCode === 303 && typeof location === 'string') return this.follow('GET', location);
    // What is wrong in a form stands behind its page's address.
    const page = path.replace(/\?(problem|language)=\w+$/, '');
    this.page = { status: answer.statusCode, headers: answer.headers, html, path: page };
    return this.page;
  }
}

function formIn(html: string): { action: string; own: [string, string][] } {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? '';
  const own: [string, string][] = [];
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
    const [name, type] = [attribute('name'), attribute('type')];
    if (!name || (['checkbox', 'radio'].includes(type ?? '') && !/ checked/.test(input))) continue;
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

/** The token of the page's form. */
export const csrfOf = ({ page }: Visitor) => /name="csrf" value="([^"]*)"/.exec(page.html)![1]!;

/** The visible text of a page. */
export const textOf = (html: string) =>
  unescaped(html.replace(/<style>.*?<\/style>/gs, '').replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

/** The names of the accounts in the order of the page, with their ticks. */
export function rowsIn(html: string): { id: string; ticked: boolean; text: string }[] {
  return [...html.matchAll(/<label class="row"><input( type="checkbox"[^>]*)>(.*?)<\/label>/gs)].map(
    ([, input, text]) => ({
      id: /value="([^"]*)"/.exec(input!)?.[1] ?? '',
      ticked: / checked/.test(input!),
      text: textOf(text!).trim(),
    }),
  );
}
