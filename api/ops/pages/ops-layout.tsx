import type { ComponentChildren, VNode } from 'preact';
import { OPS } from '../paths';
import { OPS_STYLE } from '../style';

/** What every page of a session has around it. */
export interface OpsFrame {
  service: string;
  operator: string;
  csrf: string;
  now: Date;
  workflowLink(id: string, runId?: string): string | undefined;
}

export function OpsLayout(props: {
  frame: OpsFrame;
  title: string;
  error?: boolean;
  children: ComponentChildren;
}): VNode {
  const { frame, title, error, children } = props;
  return (
    <OpsHtml title={`${error ? 'Error: ' : ''}${title}`} service={frame.service}>
      <header>
        <p>
          <a href={OPS.channels}>{frame.service}</a> <span class="soft">operators</span>
        </p>
        <form method="post" action={OPS.signOut}>
          <input type="hidden" name="csrf" value={frame.csrf} />
          <span>{frame.operator}</span> <button class="second">Sign out</button>
        </form>
      </header>
      <main>{children}</main>
    </OpsHtml>
  );
}

/** The document around a page's body. The empty icon saves the browser a request. */
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

/** On top of a page with an error. It takes the focus, so that it is read out first. */
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
