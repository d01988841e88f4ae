/** Pictures from a provider whose whole answers have the client's form, and whose streams have another. */

import { invalidField } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import type { Protocol } from "../protocol.ts";

/** The protocol without streams, because events differ. A call for one is told the `route` that has them. */
export function unstreamedHere(protocol: Protocol, route: string): Protocol {
  const refuse = ({ stream }: ChatCall): void => {
    if (!stream) return;
    throw invalidField(
      "stream",
      `false on this route: the model's events have another form. Stream it on ${route}`,
    );
  };
  const { passThrough, forms } = protocol;
  return {
    ...protocol,
    passThrough(body, call, model) {
      refuse(call);
      return passThrough(body, call, model);
    },
    ...(forms && {
      forms: {
        read: forms.read,
        passThrough(form, call, model) {
          refuse(call);
          return forms.passThrough(form, call, model);
        },
      },
    }),
  };
}
