/** `POST /api/v1/payments/{channel}/notify`: what the platforms tell. Its answer decides whether they repeat it. */

import { GatewayError } from "../../../base/errors.ts";
import type { HttpReply } from "../../../base/http/message.ts";
import { type PaymentChannel, paymentChannels } from "../../../books/catalog/catalog.ts";
import type { OrderDeps } from "../../../people/orders/deps.ts";
import { takeNotice } from "../../../people/orders/notice.ts";
import { type Evidence, NoticeRefused, type PaymentPlatform } from "../../../people/payments/platform.ts";
import type { ConsoleCall } from "../call.ts";

/**
 * Answers once all is written. Throws `payment_channel`, and `payment_signature` for a call that is not the platform's.
 */
export async function takeCall({ request, parameters }: ConsoleCall, deps: OrderDeps): Promise<HttpReply> {
  const channel = paymentChannels.find((name) => name === parameters.channel);
  if (!channel) throw new GatewayError("payment_channel");
  const platform = await deps.platforms.platform(channel);
  const evidence = await read(platform, request, deps);
  if (!evidence) return platform.accepted();
  try {
    // An order is looked up by the evidence alone, so a call at another channel's address finds it and is doubted.
    await takeNotice(evidence, deps);
  } catch (error) {
    if (error instanceof GatewayError && error.key === "payment_signature")
      refuse(channel, "no such order", "no", deps);
    throw error;
  }
  return platform.accepted();
}

async function read(
  platform: PaymentPlatform,
  { headers, body }: ConsoleCall["request"],
  deps: OrderDeps,
): Promise<Evidence | null> {
  try {
    return await platform.readNotice({ headers, body });
  } catch (error) {
    if (error instanceof GatewayError && error.key === "payment_signature") {
      const isProbe = error instanceof NoticeRefused && error.probe;
      const reason = error instanceof NoticeRefused ? error.reason : "signature";
      refuse(platform.channel, reason, isProbe ? "yes" : "no", deps);
    }
    throw error;
  }
}

function refuse(channel: PaymentChannel, reason: string, probe: "yes" | "no", { log }: OrderDeps): void {
  log("warn", "notice_refused", { channel, reason, probe });
}
