import Koa from 'koa';
import { MongoClient } from 'mongodb';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// What P6 is compared with: one route that parses the body and writes it, with nothing of the service around it.
async function main([uri]: string[]): Promise<void> {
  const client = await MongoClient.connect(uri!, { writeConcern: { w: 'majority' } });
  const bodies = client.db().collection('plain');
  const app = new Koa();
  app.use(async (ctx) => {
    await bodies.insertOne(JSON.parse(await text(ctx.req)) as object);
    ctx.status = 204;
  });
  const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit()); // whoever started it is gone
}

void main(process.argv.slice(2));
