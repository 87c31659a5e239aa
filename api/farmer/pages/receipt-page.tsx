import type { VNode } from 'preact';
import { PATHS, STAYING } from '../paths';
import { Layout, type FarmerPageContext } from './layout';
import { Links } from './ways-out';

/** The receipt as a page, since phones show plain text files in tiny letters. */
export function receiptPage({ context, text }: { context: FarmerPageContext; text: string }): VNode {
  const { goBack, done, receipt } = context.texts;
  return (
    <Layout context={context} title={receipt.title}>
      <pre>{text}</pre>
      <Links
        to={[
          [PATHS.receipt, done.download],
          [STAYING, goBack],
        ]}
      />
    </Layout>
  );
}
