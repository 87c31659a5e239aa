import type { ComponentChildren, VNode } from 'preact';
import { plain } from '../../../domain/text/masked';
import type { Door } from '../door';
import { CHANNEL_STYLE } from '../style';

/** The context of every page of a session. */
export interface ChannelPageContext {
  service: string;
  door: Door;
  /** The operator's name, or the customer's. */
  who: string;
  /** If false, the pages offer no actions. */
  mayAct: boolean;
  csrf: string;
  now: Date;
  /** Without it the pages say nothing of Temporal. */
  workflowLink?(id: string, runId?: string): string | undefined;
}

export function PageLayout(props: {
  context: ChannelPageContext;
  title: string;
  error?: boolean;
  children: ComponentChildren;
}): VNode {
  const { context, title, error, children } = props;
  return (
    <PageHtml title={`${error ? 'Error: ' : ''}${title}`} service={context.service} door={context.door}>
      <header>
        <Heading service={context.service} door={context.door} />
        <form method="post" action={context.door.paths.signOut}>
          <input type="hidden" name="csrf" value={context.csrf} />
          {context.door.holder === 'channel' && <a href="/guide/customer">Guide</a>}{' '}
          <span>{plain(context.who)}</span> <button class="second">Sign out</button>
        </form>
      </header>
      <main>{children}</main>
    </PageHtml>
  );
}

/** The service's name, which leads to the first page. */
export function Heading({ service, door }: { service: string; door: Door }): VNode {
  return (
    <p>
      <a href={door.paths.home}>{service}</a> <span class="soft">{door.people}</span>
    </p>
  );
}

/** The HTML document. The empty icon saves the browser a request. */
export function PageHtml(props: {
  title: string;
  service: string;
  door: Door;
  children: ComponentChildren;
}): VNode {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="format-detection" content="telephone=no" />
        <title>{`${props.title} – ${props.service} ${props.door.people}`}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: CHANNEL_STYLE }} />
      </head>
      <body>{props.children}</body>
    </html>
  );
}

/** The error summary at the top of a page. It takes the focus, so that screen readers read it first. */
export function Problem({ field, message }: { field: string; message: string }): VNode {
  return (
    <div class="errors" role="alert" tabIndex={-1} autoFocus aria-labelledby="problem">
      <h2 id="problem">There is a problem</h2>
      <p>
        <a href={`#${field}`}>{message}</a>
      </p>
    </div>
  );
}
