import type { ComponentChildren, VNode } from 'preact';
import { LANGUAGES, type Language } from '../../../domain/text/language';
import type { Texts } from '../texts/en';
import { TEXTS } from '../texts/texts';
import { Html } from './layout';

/** A page without a session, whose language is unknown. It shows both languages, the browser's preferred one first. */
export function bilingualPage(
  first: Language,
  title: (texts: Texts) => string,
  body: (texts: Texts) => ComponentChildren,
): VNode {
  const languages = [first, ...LANGUAGES.filter((language) => language !== first)];
  return (
    <Html language={first} title={title(TEXTS[first])}>
      <main>
        {languages.map((language, index) => (
          <section key={language} lang={language}>
            {index === 0 ? <h1>{title(TEXTS[language])}</h1> : <h2>{title(TEXTS[language])}</h2>}
            {body(TEXTS[language])}
          </section>
        ))}
      </main>
    </Html>
  );
}
