import type { VNode } from 'preact';
import { count } from '../../../domain/count';
import type { OpsTrouble } from '../ops-trouble';
import { OPS } from '../paths';
import { OpsHtml } from './ops-layout';

export function opsTroublePage(props: { service: string; trouble: OpsTrouble; requestId: string }): VNode {
  const { service, trouble, requestId } = props;
  return (
    <OpsHtml title={trouble.title} service={service}>
      <header>
        <p>
          <a href={OPS.channels}>{service}</a> <span class="soft">operators</span>
        </p>
      </header>
      <main class="narrow">
        <h1>{trouble.title}</h1>
        <p>{trouble.text}</p>
        {trouble.waitMs > 0 && <p>Wait {count(Math.ceil(trouble.waitMs / 60_000), 'minute')}.</p>}
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
