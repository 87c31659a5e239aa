import { createHash } from 'node:crypto';
import { renderToString } from 'preact-render-to-string';
import { checkDigest } from '../../api/farmer/new-check';
import { checkPage } from '../../api/farmer/pages/check-page';
import { CONSENT_TEXT_VERSION, TEXTS } from '../../api/farmer/texts/texts';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { LANGUAGES, type Language } from '../../domain/language';
import { textOf } from './visitor';

// Every version that farmers have agreed to. A new text gets a new line, not a new value.
const AGREED: Record<string, string> = {
  '2026-11-21': '8398b8064c3798de',
  '2026-11-22': '7107b63df0ffe3ae',
  '2026-11-23': 'a7a8e90df8fe72c4',
  '2026-11-24': '5625b8fc60dc9a0e',
};

const account = (name: string) => ({
  id: name,
  remote_id: name,
  name,
  company: { id: '42', name: 'Co-op' },
  granted: false,
  offered: true,
});

function checkText(language: Language, endsOn: string, { collects = false, unmoved = false } = {}): string {
  const kept = { ...account('b'), endsOn: '2027-07-31', offered: false };
  const page = checkPage({
    context: { texts: TEXTS[language], language, service: 'Service', action: '/', csrf: '', verified: false },
    customer: 'Acme',
    displayName: 'A',
    partnerId: 'P',
    entityTypes: [...ENTITY_TYPES],
    collects,
    cadenceMs: 3_600_000,
    form: '',
    sharingUrl: 'https://service/sharing',
    plan: {
      start: [account('a')],
      keep: [kept],
      moved: [],
      unmoved: unmoved ? [kept] : [],
      stop: [account('c')],
      declined: [],
      endsOn,
    },
  });
  return textOf(renderToString(page));
}

test('what is agreed to does not change under its version', () => {
  const texts = LANGUAGES.flatMap((language) =>
    ['', '2027-10-31'].flatMap((end) => [
      checkText(language, end),
      checkText(language, end, { collects: true, unmoved: true }),
    ]),
  ).join('\n');
  const hash = createHash('sha256').update(texts).digest('hex').slice(0, 16);
  expect(AGREED[CONSENT_TEXT_VERSION]).toBe(hash);
});

test('what a page has said is known with the version of its text: a release in between asks again', () => {
  const [session, channel] = [{ language: 'en' }, { name: 'Acme', entity_types: ['tickets'], cadence_ms: 1 }];
  const kept = { ...account('b'), endsOn: '2027-07-31', offered: false };
  const plan = {
    start: [account('a')],
    keep: [kept],
    moved: [],
    unmoved: [kept],
    stop: [account('c')],
    declined: [],
    endsOn: '',
  };
  const terms = ['Acme', ['tickets'], 'push', 1, false, ''];
  const said = [CONSENT_TEXT_VERSION, 'en', terms, [['a'], ['b'], ['c']], ['2027-07-31 b']];
  const digest = createHash('sha256').update(JSON.stringify(said)).digest('base64url');
  expect(checkDigest({ session, channel } as Parameters<typeof checkDigest>[0], plan)).toBe(digest);
});
