import type { VNode } from 'preact';
import { count } from '../../../domain/count';
import type { OpsPageError } from '../ops-page-error';
import { OPS } from '../paths';
import { OpsHtml } from './ops-layout';

export function opsErrorPage(props: { service: string; pageError: OpsPageError; requestId: string }): VNode {
  const { service, pageError, requestId } = props;
  return (
    <OpsHtml title={pageError.title} service={service}>
      <header>
        <p>
          <a href={OPS.channels}>{service}</a> <span class="soft">operators</span>
        </p>
      </header>
      <main class="narrow">
        <h1>{pageError.title}</h1>
        <p>{pageError.text}</p>
        {pageError.waitMs > 0 && <p>Wait {count(Math.ceil(pageError.waitMs / 60_000), 'minute')}.</p>}
        <p>
          <a href={OPS.channels}>All channels</a>
        </p>
        <p class="soft">
          Request id <code>{requestId}</code>
        </p>
      </main>
    </OpsHtml>
  );
}
