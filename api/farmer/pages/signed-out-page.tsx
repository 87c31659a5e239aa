import type { VNode } from 'preact';
import type { Language } from '../../../domain/text/language';
import { TEXTS } from '../texts/texts';
import { Html } from './layout';

export function signedOutPage(language: Language): VNode {
  const { signedOut } = TEXTS[language];
  return (
    <Html language={language} title={signedOut.title}>
      <main>
        <h1>{signedOut.title}</h1>
        <p>{signedOut.text}</p>
      </main>
    </Html>
  );
}
