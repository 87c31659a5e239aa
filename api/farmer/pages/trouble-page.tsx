import type { VNode } from 'preact';
import type { Language } from '../../../domain/language';
import type { Trouble, TroubleKind } from '../trouble';
import { bilingualPage } from './bilingual-page';

const NO_WAY_ON = new Set<TroubleKind>(['over', 'gone', 'astray']);
const TRY_AGAIN = new Set<TroubleKind>(['notSent', 'busy', 'crowded']);

/** What went wrong, and a way on where there is one. */
export function troublePage(props: { first: Language; trouble: Trouble; here: string }): VNode {
  const { kind, details } = props.trouble;
  const back = NO_WAY_ON.has(kind) ? undefined : (details.back ?? props.here);
  return bilingualPage(
    props.first,
    ({ trouble }) => trouble[kind].title,
    (texts) => (
      <>
        <p>{texts.trouble[kind].text}</p>
        {details.waitMs && <p>{texts.trouble.wait(Math.ceil(details.waitMs / 60_000))}</p>}
        {back !== undefined && (
          <p>
            <a class="button" href={back}>
              {TRY_AGAIN.has(kind) ? texts.tryAgain : texts.goBack}
            </a>
          </p>
        )}
      </>
    ),
  );
}
