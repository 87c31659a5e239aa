import type { VNode } from 'preact';
import { PATHS } from '../paths';
import { Layout, type Frame } from './layout';

export function cancelledPage(props: { frame: Frame; customer: string; leaveUrl: string }): VNode {
  const { frame, customer, leaveUrl } = props;
  const t = frame.texts.cancelled;
  return (
    <Layout frame={frame} title={t.title}>
      <h1>{t.title}</h1>
      <p>{t.text}</p>
      <div class="buttons">
        <a class="button main" href={leaveUrl}>
          {t.continue(customer)}
        </a>
      </div>
      <p>
        <a class="plain" href={PATHS.accounts}>
          {t.back}
        </a>
      </p>
    </Layout>
  );
}
