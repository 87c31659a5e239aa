import type { VNode } from 'preact';
import { PATHS, STAYING } from '../paths';
import { Layout, type FarmerPageContext } from './layout';

/** The receipt as a page, since phones show plain text files in tiny letters. */
export function receiptPage({ context, text }: { context: FarmerPageContext; text: string }): VNode {
  const { goBack, done, receipt } = context.texts;
  return (
    <Layout context={context} title={receipt.title}>
      <h1>{receipt.title}</h1>
      <pre>{text}</pre>
      <p>
        <a class="plain" href={PATHS.receipt}>
          {done.download}
        </a>
        <br />
        <a class="plain" href={STAYING}>
          {goBack}
        </a>
      </p>
    </Layout>
  );
}
