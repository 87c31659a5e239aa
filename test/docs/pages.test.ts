import { readDocs } from './read-docs';

// A page of docs/decisions is for whoever changes the code, as the README says of the folder.
const pages = readDocs().filter(({ file }) => /^docs\/[^/]+\.md$/.test(file));

test.each(pages.map(({ file, text }) => [file, text]))('%s names its reader at its top', (_file, text) => {
  expect(text).toMatch(/^# .+\n\nFor /);
});
