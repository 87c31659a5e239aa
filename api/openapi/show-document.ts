import { answerAsset, createAsset } from '../docs/asset';
import type { Handler, OpenContext, Route } from '../route';
import { describeApi } from './describe-api';

/** `GET /openapi.json`: built once, when the process starts. */
export function showDocument(routes: readonly Route[]): Handler<OpenContext> {
  const document = createAsset('application/json', JSON.stringify(describeApi(routes)), 'no-cache');
  return (ctx) => answerAsset(ctx, document);
}
