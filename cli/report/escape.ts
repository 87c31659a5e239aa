const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of others as HTML and SVG show it: nothing in it can become markup. */
export const escape = (text: string | number) =>
  String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '?')
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
