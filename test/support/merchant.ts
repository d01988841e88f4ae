/** A merchant of the payment sandbox: its channels as the product makes them, and the server that the platforms call. */
import { createServer } from "node:http";
import { listen } from "#infra/local/emulators/listen.ts";
import type { SandboxOptions } from "#infra/local/sandbox/payment-platform/trade.ts";
import type { Send } from "#shared/base/platform/http-call.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import type {
  Evidence,
  NoticeRequest,
  PayableOrder,
  PaymentPlatform,
} from "#shared/people/payments/platform.ts";
import { NoticeRefused } from "#shared/people/payments/platform.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { type Sandbox, startPaymentPlatform } from "#test/support/payment-platform.ts";

export interface Received extends NoticeRequest {
  channel: PaymentChannel;
  /** What the channel read; its refusal where it did not. */
  read: Evidence | NoticeRefused | null;
}

interface Line extends LogFields {
  level: string;
  event: string;
}

interface MerchantOptions extends Partial<Pick<SandboxOptions, "noticeScale" | "now">> {
  /** Changes the settings before the product reads them. */
  edit?: (settings: Sandbox["settings"]) => object;
  send?: Send;
  /** Answers a call of a platform in another way than the channel would. */
  answer?: (received: Received) => { status: number; body: string } | undefined;
}

export interface Merchant {
  sandbox: Sandbox;
  /** Every call of a platform, in its order. */
  received: Received[];
  lines: Line[];
  channel(channel: PaymentChannel): Promise<PaymentPlatform>;
  /** An order that can be opened. */
  order(changes?: Partial<PayableOrder>): PayableOrder;
  notifyUrl(channel: PaymentChannel): string;
  /** Opens the page of an order, as its QR code does. */
  scan(order: string): Promise<void>;
  stop(): Promise<void>;
}

const pathOf = (channel: PaymentChannel) => `/api/v1/payments/${channel}/notify`;

/** Starts a sandbox, and a merchant that answers its calls as the channels say. */
export async function startMerchant(options: MerchantOptions = {}): Promise<Merchant> {
  const { edit = (settings) => settings, now = Date.now, answer } = options;
  const received: Received[] = [];
  const lines: Line[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const channel = request.url?.split("/")[4] as PaymentChannel;
    const notice = { headers: request.headers as NoticeRequest["headers"], body: Buffer.concat(pieces) };
    const platform = await platforms.platform(channel);
    const read = await platform.readNotice(notice).catch((error: unknown) => {
      if (error instanceof NoticeRefused) return error;
      throw error;
    });
    received.push({ ...notice, channel, read });
    const standard = read instanceof NoticeRefused ? { status: 500, body: "{}" } : platform.accepted();
    const { status, body } = answer?.({ ...notice, channel, read }) ?? standard;
    response.writeHead(status);
    response.end(body);
  });
  const listening = await listen(server, 0);
  const notifyUrl = (channel: PaymentChannel) => `${listening.url}${pathOf(channel)}`;
  const { noticeScale = 0 } = options;
  const sandbox = await startPaymentPlatform({ notifyUrl, noticeScale, now });
  const platforms = createPaymentPlatforms({
    readSettings: async () => JSON.stringify(edit(sandbox.settings)),
    log: (level, event, fields) => lines.push({ level, event, ...fields }),
    send: options.send ?? send,
    now,
  });
  return {
    sandbox,
    received,
    lines,
    notifyUrl,
    channel: (channel) => platforms.platform(channel),
    order: (changes = {}) => ({
      id: newId("order", now()),
      amount: 10_000,
      currency: "CNY",
      created_at: now(),
      expires_at: now() + 15 * 60_000,
      subject: "Points",
      notify_url: notifyUrl("alipay"),
      return_url: "http://127.0.0.1/recharge",
      ...changes,
    }),
    async scan(order) {
      const trade = sandbox.trades().find((each) => each.order === order);
      const { status } = await fetch(`${sandbox.url}/pay/${trade?.reference}`);
      if (status !== 200) throw new Error(`the page of ${order} answered ${status}`);
    },
    async stop() {
      await sandbox.stop();
      await listening.stop();
    },
  };
}
