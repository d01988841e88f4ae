/** What the console's document says of programs that people sign in (edges/console/routes/device.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { oauthRefusals } from "../../people/identity/device.ts";
import type { deviceRoutes } from "../console/routes/device.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { id, maybe, text, whole } from "./console-schemas.ts";
import { billingModes } from "./key-schemas.ts";
import * as s from "./schema.ts";

const userCode = text(
  "The code that the terminal shows, with or without its hyphen, in any case.",
  "BCDF-GHJK",
);
const most = { maxLength: consoleLimits.programNameCharsMax };
const client = s.such(s.string, { ...most, description: "What the program calls itself, its `client_id`." });
const machine = s.such(s.string, {
  ...most,
  description: "What it calls its machine, its `device_name`; empty where it does not.",
});
const ip = s.such(s.string, "The address that the program asked from.");
const deviceId = id("dev");

const said = { client, machine, ip };

export const deviceSchemas = {
  OAuthError: s.such(
    s.closed({
      error: s.oneOf(oauthRefusals),
      error_description: s.such(s.string, "For a person."),
    }),
    { examples: [{ error: "authorization_pending", error_description: "Nobody has decided yet." }] },
  ),
  AuthorizationServer: s.closed({
    issuer: s.string,
    device_authorization_endpoint: s.string,
    token_endpoint: s.string,
    revocation_endpoint: s.string,
    grant_types_supported: s.list(s.string),
    response_types_supported: s.list(s.string),
    token_endpoint_auth_methods_supported: s.list(s.string),
    revocation_endpoint_auth_methods_supported: s.list(s.string),
    gateway_url: s.such(s.string, "Where the keys are for. Empty where the console does not know it."),
  }),
  DeviceCodes: s.closed({
    device_code: s.such(s.string, "For the program alone: it polls with it."),
    user_code: s.such(s.string, "For the person."),
    verification_uri: s.such(s.string, "The page where the person enters the code."),
    verification_uri_complete: s.such(s.string, "The same with the code in it."),
    expires_in: s.such(s.integer, "Seconds that the codes are good for."),
    interval: s.such(s.integer, "Seconds between two polls."),
  }),
  ProgramTokens: s.closed({
    access_token: s.such(s.string, "An API key."),
    token_type: s.just("Bearer"),
    expires_in: s.such(s.integer, "Seconds that the key is good for."),
    refresh_token: s.such(s.string, "Gives the key another secret, once."),
  }),
  Device: s.closed({
    id: deviceId,
    object: s.just("device"),
    user_code: s.string,
    ...said,
    label: s.such(s.string, "Its `user-agent`."),
    same_network: s.such(s.boolean, "Whether the person asks from the same network, a /24 or a /48."),
    created_at: s.instant,
    expires_at: s.instant,
  }),
  Program: s.closed({
    id: s.such(s.string, "The id of its key. To revoke that key is to sign the program out."),
    object: s.just("program"),
    ...said,
    billing_mode: s.oneOf(billingModes),
    project_id: s.string,
    created_at: s.instant,
    seen_at: s.such(s.instant, "When it last got another secret."),
    expires_at: s.such(s.instant, "When the sign-in ends without a refresh."),
  }),
};

const refused = s.ref("OAuthError");
const name = (description: string, example: string) => s.such(text(description, example), most);
const clientId = name("What the program calls itself. The person sees it.", "gateway.mjs");

export const deviceOperations = {
  show_authorization_server: {
    tag: "Programs",
    summary: "Where a program signs in",
    description: "The metadata of RFC 8414, and the address of the gateway.",
    reply: s.ref("AuthorizationServer"),
    errors: [],
  },
  start_device: {
    tag: "Programs",
    summary: "Ask to be signed in",
    description: `RFC 8628 §3.1. An address may ask ${consoleLimits.devicesOfIpHourMax} times an hour.`,
    request: {
      schema: s.object(
        { client_id: clientId },
        { device_name: name("What the program calls its machine.", "anns-laptop") },
      ),
      example: { client_id: "gateway.mjs", device_name: "anns-laptop" },
    },
    oauth: refused,
    reply: s.ref("DeviceCodes"),
    errors: [],
  },
  get_device_token: {
    tag: "Programs",
    summary: "Get a key, or another secret for it",
    description:
      "RFC 8628 §3.4 with `device_code`, RFC 6749 §6 with `refresh_token`. The access token is an API key of the person who approved.",
    request: {
      schema: s.object(
        { grant_type: s.string, client_id: clientId },
        { device_code: s.string, refresh_token: s.string },
      ),
      example: { grant_type: "refresh_token", client_id: "gateway.mjs", refresh_token: "org.key.1.x" },
    },
    oauth: refused,
    reply: s.ref("ProgramTokens"),
    errors: [],
  },
  revoke_device_token: {
    tag: "Programs",
    summary: "Sign a program out",
    description: "RFC 7009, with a refresh token. What is no token of ours is revoked already.",
    request: { schema: s.object({ token: s.string }), example: { token: "org.key.1.x" } },
    oauth: refused,
    errors: [],
  },
  look_at_device: {
    tag: "Programs",
    summary: "What a program that waits says of itself",
    description: "It decides nothing. Wrong codes are counted for their address.",
    request: { schema: s.closed({ user_code: userCode }), example: { user_code: "BCDF-GHJK" } },
    reply: s.ref("Device"),
    errors: ["not_found", "sms_too_often"],
  },
  decide_device: {
    tag: "Programs",
    summary: "Let a program in, or refuse it",
    description: `For the request that \`lookAtDevice\` has shown. A browser may ask for it from a page of the console alone. A member has at most ${consoleLimits.programsOfMemberMax} programs.`,
    request: {
      schema: s.closed(
        { user_code: userCode, id: deviceId, approve: s.boolean },
        {
          billing_mode: maybe(s.such(s.oneOf(billingModes), "Of the key. Needed to let it in.")),
          project_id: maybe(s.such(s.string, "The project of the key.")),
        },
      ),
      example: {
        user_code: "BCDF-GHJK",
        id: "dev_01KAJ2X5P00000000000000000",
        approve: true,
        billing_mode: "payg",
      },
    },
    reply: s.closed({ id: deviceId, object: s.just("device"), approved: s.boolean }),
    errors: ["not_found", "sms_too_often", "account_frozen", "invalid_state"],
  },
  list_programs: {
    tag: "Programs",
    summary: "List one's own programs in the organization",
    reply: whole(s.ref("Program")),
    errors: ["invalid_request"],
  },
} satisfies Readonly<Record<(typeof deviceRoutes)[number]["operation"], ConsoleDescribed>>;
