import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { describeApi } from '../../api/openapi/describe-api';
import { ROUTES } from '../../api/routes';
import { FORMATS } from '../../domain/records/schemas/formats';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is walked as it comes
export type Node = any;

/** The document as a client reads it. */
export const DOCUMENT: Node = JSON.parse(JSON.stringify(describeApi(ROUTES)));

let ajv: Ajv2020 | undefined;
/** Made for the first that asks: most test files never do. The document itself is no JSON Schema, so none checks it. */
function validators(): Ajv2020 {
  if (ajv) return ajv;
  const formats = { ...FORMATS, uri: URL.canParse };
  ajv = new Ajv2020({ strict: false, validateSchema: false, formats });
  return ajv.addSchema(closed(structuredClone(DOCUMENT)), 'openapi.json');
}
const compiled = new Map<string, ValidateFunction>();

/** The validator of a schema of the document. It minds fields that are not declared, which clients must not. */
export function validatorAt(...path: string[]): ValidateFunction {
  const parts = path.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')));
  const pointer = `openapi.json#/${parts.join('/')}`;
  const validate = compiled.get(pointer) ?? validators().compile({ $ref: pointer });
  compiled.set(pointer, validate);
  return validate;
}

/** Every object of the document with where it stands. */
export function* walkDocument(node: Node, path: string[] = []): Generator<{ node: Node; path: string[] }> {
  if (typeof node !== 'object' || node === null) return;
  yield { node, path };
  for (const [key, inner] of Object.entries(node)) yield* walkDocument(inner, [...path, key]);
}

function closed(document: Node): Node {
  for (const { node } of walkDocument(document)) {
    if (node.type === 'object' && node.properties) node.additionalProperties ??= false;
  }
  return document;
}
