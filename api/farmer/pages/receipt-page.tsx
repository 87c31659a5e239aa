import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { Layout, type Frame } from './layout';

/** The receipt to read: browsers show a bare text file in letters too small for a phone. */
export function receiptPage({ frame, text }: { frame: Frame; text: string }): VNode {
  const { goBack, done, receipt } = frame.texts;
  return (
    <Layout frame={frame} title={receipt.title}>
      <h1>{receipt.title}</h1>
      <pre>{text}</pre>
      <p>
        <a class="plain" href={PATHS.receipt}>
          {done.download}
        </a>
        <br />
        <a class="plain" href={PATHS.done}>
          {goBack}
        </a>
      </p>
    </Layout>
  );
}
