import type { VNode } from 'preact';
import type { Door } from '../../channel/door';
import { Heading, PageHtml } from '../../channel/views/page-layout';

/** The page between the provider and the first page of the session. */
export function signedInPage(props: { service: string; door: Door; name: string; to: string }): VNode {
  const { service, door, name, to } = props;
  return (
    <PageHtml title="Signed in" service={service} door={door}>
      <header>
        <Heading service={service} door={door} />
      </header>
      <main class="narrow">
        <h1>Signed in</h1>
        <p>
          You are {name}. <a href={to}>Continue</a>.
        </p>
      </main>
    </PageHtml>
  );
}
