import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../tools/local/free-port';
import { closeAtEnd } from '../setup/close-at-end';
import { Webhook } from 'standardwebhooks';

/** One notice as received by the operator's webhook, with its signature verified. */
export interface ReceivedNotice {
  id: string;
  type: string;
  data: { channel: string; class: string; state: string; message: string; alert: string; opened_at: string };
}

/** A real HTTP server as the operator's webhook; it accepts only signed notices. */
export class AlertReceiver {
  readonly received: ReceivedNotice[] = [];
  readonly refused: string[] = [];
  readonly paths: string[] = [];
  answer: (notice: ReceivedNotice) => number | 'hang' | Promise<number> = () => 204;
  /** Where it points with a redirect. */
  location: string | undefined;
  url = '';
  private readonly server: Server;

  private constructor(secret: () => string) {
    this.server = createServer(async (request, response) => {
      this.paths.push(request.url!);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      try {
        new Webhook(secret()).verify(body, request.headers as Record<string, string>);
      } catch (error) {
        this.refused.push((error as Error).message);
        return void response.writeHead(401).end();
      }
      const notice = { id: String(request.headers['webhook-id']), ...JSON.parse(body) } as ReceivedNotice;
      const status = await this.answer(notice);
      if (status === 'hang') return;
      if (status < 300) this.received.push(notice);
      response.writeHead(status, this.location ? { location: this.location } : {}).end();
    });
  }

  static async start(secret: () => string): Promise<AlertReceiver> {
    const receiver = new AlertReceiver(secret);
    await receiver.listen(await freePort(0)); // below those that outgoing connections take: it is there again later
    closeAtEnd(() => receiver.stop());
    return receiver;
  }

  async listen(port = Number(new URL(this.url).port)): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook?token=x`;
  }

  /** Down: connections are refused until `listen` is called again. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  told(): string[] {
    return this.received.map(({ type, data }) => `${data.channel} ${data.class} ${type}`);
  }
}
