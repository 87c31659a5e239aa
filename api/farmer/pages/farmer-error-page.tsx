import type { VNode } from 'preact';
import type { Language } from '../../../domain/text/language';
import type { FarmerPageError, FarmerPageErrorKind } from '../farmer-page-error';
import { bilingualPage } from './bilingual-page';

const NO_WAY_ON = new Set<FarmerPageErrorKind>(['over', 'gone', 'unknownPage', 'elsewhere']);
const TRY_AGAIN = new Set<FarmerPageErrorKind>(['notSent', 'busy', 'crowded']);

/** The page of an error, with a link to continue where there is one. */
export function farmerErrorPage(props: { first: Language; pageError: FarmerPageError; here: string }): VNode {
  const { kind, details } = props.pageError;
  const back = details.back ?? (NO_WAY_ON.has(kind) ? undefined : props.here);
  return bilingualPage(
    props.first,
    ({ pageError }) => pageError[kind].title,
    (texts) => (
      <>
        <p>{texts.pageError[kind].text}</p>
        {details.waitMs && <p>{texts.pageError.wait(Math.ceil(details.waitMs / 60_000))}</p>}
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
