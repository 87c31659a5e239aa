import type { ComponentChildren, VNode } from 'preact';
import { OPS } from '../paths';
import { OPS_STYLE } from '../style';

/** The context of every page of a session. */
export interface OpsPageContext {
  service: string;
  operator: string;
  /** Else the pages show no buttons. */
  mayAct: boolean;
  csrf: string;
  now: Date;
  workflowLink(id: string, runId?: string): string | undefined;
}

export function OpsLayout(props: {
  context: OpsPageContext;
  title: string;
  error?: boolean;
  children: ComponentChildren;
}): VNode {
  const { context, title, error, children } = props;
  return (
    <OpsHtml title={`${error ? 'Error: ' : ''}${title}`} service={context.service}>
      <header>
        <p>
          <a href={OPS.channels}>{context.service}</a> <span class="soft">operators</span>
        </p>
        <form method="post" action={OPS.signOut}>
          <input type="hidden" name="csrf" value={context.csrf} />
          <span>{context.operator}</span> <button class="second">Sign out</button>
        </form>
      </header>
      <main>{children}</main>
    </OpsHtml>
  );
}

/** The HTML document. The empty icon saves the browser a request. */
export function OpsHtml(props: { title: string; service: string; children: ComponentChildren }): VNode {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="format-detection" content="telephone=no" />
        <title>{`${props.title} – ${props.service} operators`}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML={{ __html: OPS_STYLE }} />
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
