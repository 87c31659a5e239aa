import type { VNode } from 'preact';
import { LEAVE_UNCHANGED, PATHS } from '../paths';
import { Layout, type FarmerPageContext } from './layout';

export function cancelledPage(props: { context: FarmerPageContext; customer: string }): VNode {
  const { context, customer } = props;
  const t = context.texts.cancelled;
  return (
    <Layout context={context} title={t.title}>
      <h1>{t.title}</h1>
      <p>{t.text}</p>
      <div class="buttons">
        <a class="button main" href={LEAVE_UNCHANGED}>
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
