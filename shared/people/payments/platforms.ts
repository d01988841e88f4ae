/** The channels of this stage, by the secret `platforms`. Each one's code is loaded when the channel is first used. */
import { GatewayError } from "../../base/errors.ts";
import { send } from "../../base/platform/http-client.ts";
import type { Log } from "../../base/platform/log.ts";
import { type PaymentChannel, paymentChannels } from "../../books/catalog/catalog.ts";
import type { ChannelDeps } from "./ask.ts";
import type { PaymentPlatform, PaymentPlatforms } from "./platform.ts";
import { type PlatformSettings, readPlatformSettings } from "./settings.ts";

export interface PlatformsDeps extends Partial<Pick<ChannelDeps, "send" | "now">> {
  /** The text of the secret `platforms`, kept in memory (base/platform/secrets.ts `keptSecret`). */
  readSettings: () => Promise<string>;
  log: Log;
}

/** One text of the secret, and what was made of it. */
interface Opened {
  text: string;
  settings: PlatformSettings;
  platforms: Map<PaymentChannel, Promise<PaymentPlatform>>;
}

/** The channels by the secret, which is read again as often as it is kept. Its methods reject where it cannot be read. */
export function createPaymentPlatforms(deps: PlatformsDeps): PaymentPlatforms {
  const channelDeps: ChannelDeps = { send: deps.send ?? send, log: deps.log, now: deps.now ?? Date.now };
  let opened: Opened | undefined;

  const open = async (): Promise<Opened> => {
    const text = await deps.readSettings();
    if (opened?.text === text) return opened;
    const { settings, problems } = readPlatformSettings(text);
    for (const { name, problem } of problems)
      deps.log("error", "platform_settings_wrong", { ...(name && { channel: name }), reason: problem });
    opened = { text, settings, platforms: new Map() };
    return opened;
  };

  return {
    async channels() {
      const { settings } = await open();
      return paymentChannels.filter((channel) => settings[channel] !== undefined);
    },
    async platform(channel) {
      const { settings, platforms } = await open();
      if (channel === "points") throw new GatewayError("payment_channel");
      const loading = platforms.get(channel) ?? load(channel, settings, channelDeps);
      if (!loading) throw new GatewayError("payment_channel");
      platforms.set(channel, loading);
      return await loading;
    },
  };
}

/** Loads a channel's code. Undefined if the settings do not have the channel. */
function load(
  channel: PaymentChannel,
  { alipay, wechat, stripe }: PlatformSettings,
  deps: ChannelDeps,
): Promise<PaymentPlatform> | undefined {
  switch (channel) {
    case "alipay":
      return alipay && import("./alipay/platform.ts").then((room) => room.createAlipay(alipay, deps));
    case "wechat":
      return wechat && import("./wechat/platform.ts").then((room) => room.createWechat(wechat, deps));
    case "stripe":
      return stripe && import("./stripe/platform.ts").then((room) => room.createStripe(stripe, deps));
  }
}
