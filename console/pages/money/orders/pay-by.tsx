/** How an order is paid: the channels of all currencies, one to choose. */
import type { Order, PaymentMethod } from "../../../api-types.ts";
import { Choice } from "../../../parts/field.tsx";
import { Empty } from "../../../parts/note.tsx";
import type { OrderWords } from "./pay.tsx";

/** A channel and the currency that it takes. */
interface PayWay {
  channel: Order["channel"];
  method: Pick<PaymentMethod, "currency">;
}

/** A way to buy points, with the bounds of a recharge. */
interface RechargeWay {
  channel: PaymentMethod["channels"][number];
  method: PaymentMethod;
}

/** Points of the wallet. They pay for plans. */
export const walletWay: PayWay = { channel: "points", method: { currency: "points" } };

/** All ways to pay, in the order of the catalog. */
export function waysOf(methods: readonly PaymentMethod[]): RechargeWay[] {
  return methods.flatMap((method) => method.channels.map((channel) => ({ channel, method })));
}

const keyOf = ({ channel, method }: PayWay) => `${channel} ${method.currency}`;

interface PayByProps<Way extends PayWay> {
  words: OrderWords;
  ways: Way[];
  value: Way;
  onValue: (way: Way) => void;
}

export function PayBy<Way extends PayWay>({ words, ways, value, onValue }: PayByProps<Way>) {
  return (
    <Choice
      label={words.payBy}
      value={keyOf(value)}
      options={ways.map((way) => ({
        value: keyOf(way),
        name:
          way.channel === "points"
            ? words.channels.points
            : words.channelIn(words.channels[way.channel], way.method.currency),
      }))}
      onValue={(key) => onValue(ways.find((way) => keyOf(way) === key) ?? value)}
    />
  );
}

export function NoWays({ words }: { words: OrderWords }) {
  return <Empty title={words.noMethods}>{words.noMethodsLead}</Empty>;
}
