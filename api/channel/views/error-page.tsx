import type { VNode } from 'preact';
import { count } from '../../../domain/records/count';
import type { Door } from '../door';
import type { PageError } from '../page-error';
import { Heading, PageHtml } from './page-layout';

export function errorPage(props: {
  service: string;
  door: Door;
  pageError: PageError;
  requestId: string;
}): VNode {
  const { service, door, pageError, requestId } = props;
  const text = door.holder === 'operator' ? pageError.text : pageError.customersText;
  return (
    <PageHtml title={pageError.title} service={service} door={door}>
      <header>
        <Heading service={service} door={door} />
      </header>
      <main class="narrow">
        <h1>{pageError.title}</h1>
        <p>{text}</p>
        {pageError.waitMs > 0 && <p>Wait {count(Math.ceil(pageError.waitMs / 60_000), 'minute')}.</p>}
        <p>
          <a href={door.paths.home}>{door.holder === 'operator' ? 'All channels' : 'Your channel'}</a>
        </p>
        <p class="soft">
          Request id <code>{requestId}</code>
        </p>
      </main>
    </PageHtml>
  );
}
