import { answerAsset, createAsset } from './show-docs';
import type { OpenContext, RouteTraits } from '../http/route';
import { describeApi } from './describe-api';

/** `GET /openapi.json`: built once, when the process starts. */
export function showDocument(routes: readonly RouteTraits[]): (ctx: OpenContext) => void {
  const document = createAsset('application/json', JSON.stringify(describeApi(routes)), 'no-cache');
  return (ctx) => answerAsset(ctx, document);
}
