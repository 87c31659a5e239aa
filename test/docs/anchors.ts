import { anchorOf } from '../../api/guide/page-html';

/** Where links into a page may lead. */
export const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
