/** What the console's document says of signing up, in and out, and of the account (edges/console/routes/sign-in.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { contactKinds } from "../../people/identity/contact.ts";
import { rightsFor } from "../../people/identity/roles.ts";
import { locales } from "../../people/identity/user.ts";
import type { signInRoutes } from "../console/routes/sign-in.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import {
  contactsShown,
  email,
  givenName,
  id,
  idParameter,
  maybe,
  oneContact,
  phone,
  plan,
  role,
  text,
  whole,
} from "./console-schemas.ts";
import * as s from "./schema.ts";

const locale = s.oneOf(locales, { description: "The language of the console and of messages." });
const status = s.oneOf(["active", "frozen"]);
const code = s.such(text("Six digits, as the message has them.", "123456"), { pattern: "^[0-9]{6}$" });
const invitation = maybe(s.such(s.string, "The token of an invitation, to become a member at once."));

const user = {
  id: "usr_01KAJ2X5P00000000000000000",
  name: "Ann",
  locale: "en",
  phone_last_four: "5678",
  email_shown: null,
  created_at: "2026-11-23T09:00:00.000Z",
};
const organization = { id: "org_01KAJ2X5P00000000000000000", name: "Acme", status: "active" };

const tokens = {
  access_token: s.such(s.string, "A JWT, for `Authorization: Bearer`."),
  token_type: s.just("Bearer"),
  expires_in: s.such(s.integer, "Seconds that the access token is good for."),
};
const exampleTokens = {
  access_token: "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
  token_type: "Bearer",
  expires_in: consoleLimits.accessTokenSeconds,
};

export const signInSchemas = {
  User: s.closed(
    { id: id("usr"), name: s.string, locale, ...contactsShown, created_at: s.instant },
    {},
    "A user, as they see themselves.",
  ),
  SentCode: s.such(
    s.closed(
      {
        expires_in: s.such(s.integer, "Seconds that the code is good for."),
        resend_in: s.such(s.integer, "Seconds until this phone or address gets another one."),
      },
      {
        sign_up_in: s.such(
          s.integer,
          "Only phones and addresses that have an account get a code now. Seconds until the others do. It is the same for all of them.",
        ),
      },
    ),
    { examples: [{ expires_in: consoleLimits.codeSeconds, resend_in: consoleLimits.codeResendSeconds }] },
  ),
  Tokens: s.such(
    s.closed({
      ...tokens,
      user: s.such(s.closed({ id: id("usr") }), { description: "Whose session it is." }),
      organization: s.such(s.closed({ id: id("org") }), {
        description: "What the token is for.",
      }),
    }),
    { examples: [{ ...exampleTokens, user: { id: user.id }, organization: { id: organization.id } }] },
  ),
  SignedIn: s.such(
    s.closed(
      {
        ...tokens,
        user: s.ref("User"),
        organization: s.closed({ id: id("org"), name: s.string, status, role }),
      },
      { invitation_accepted: s.such(s.boolean, "Only where the request had an invitation.") },
    ),
    { examples: [{ ...exampleTokens, user, organization: { ...organization, role: "owner" } }] },
  ),
  Session: s.closed({
    id: id("ses"),
    label: s.such(s.string, "What the browser says it is."),
    ip: s.such(s.string, "Where it was made."),
    created_at: s.instant,
    seen_at: s.such(s.instant, "When it was last refreshed."),
    current: s.such(s.boolean, "Whether it is the one that asks."),
  }),
  Account: s.such(
    s.closed({
      user: s.ref("User"),
      organization: s.closed({
        ...{ id: id("org"), name: s.string, status },
        keys_make_managers: s.such(s.boolean, "Whether a key may make another one with `manage_keys`."),
      }),
      organizations: s.list(s.closed({ id: id("org"), name: s.string, role }), {
        description: "All that the user is a member of. `refreshSession` changes to another one.",
      }),
      role,
      rights: s.list(s.oneOf(rightsFor("owner"))),
      plan: s.orNull(s.closed(plan)),
      wallet: s.orNull(s.closed({ balance_points: s.points })),
    }),
    {
      examples: [
        {
          ...{
            user,
            organization: { ...organization, keys_make_managers: false },
            role: "owner",
            rights: rightsFor("owner"),
          },
          organizations: [{ id: organization.id, name: organization.name, role: "owner" }],
          plan: { plan: "free", period: "monthly", ends_at: null, next: null },
          wallet: { balance_points: "100" },
        },
      ],
    },
  ),
};

const contact = { phone: maybe(phone), email: maybe(email) };
const examplePhone = { phone: "+8613912345678" };
const exampleProved = { ...examplePhone, code: "123456" };
const gives = "Gives the refresh token, as `__Host-session`.";
const fresh = `It takes a session that began in the last ${consoleLimits.freshSessionSeconds / 60} minutes.`;
/** Another site may not sign its visitor in. */
const fromHere = "A browser may ask for it from a page of the console alone.";

export const signInOperations = {
  send_code: {
    tag: "Sign-in",
    summary: "Send a verification code",
    description:
      "The body has a phone or an e-mail address. The answer is the same for all of them, registered or not. Where many messages were asked for, 40000 has a challenge in `error.human`: find a number for which the SHA-256 of challenge, dot and number begins with `bits` zero bits, and send that text as `human` with the same request.",
    request: {
      schema: s.such(
        s.closed(
          {},
          {
            ...contact,
            human: maybe(
              s.such(s.string, "The challenge, a dot, and the number that solves it, in base 36."),
            ),
            locale: maybe(locale),
          },
        ),
        oneContact,
      ),
      example: { ...examplePhone, locale: "en" },
    },
    status: 202,
    reply: s.ref("SentCode"),
    errors: ["sms_too_often"],
  },
  sign_up: {
    tag: "Sign-in",
    summary: "Sign up with a phone or an e-mail address, and its code",
    description: `It makes a user with an organization of their own. Who is invited begins in the organization that invites, and gets one of their own only with \`own_organization\`. ${fromHere}`,
    request: {
      schema: s.such(
        s.closed(
          { code },
          {
            ...contact,
            name: maybe(givenName),
            locale: maybe(locale),
            invitation,
            own_organization: maybe(
              s.such(s.boolean, "With an invitation: an organization of their own is made too."),
            ),
          },
        ),
        oneContact,
      ),
      example: { ...exampleProved, name: "Ann" },
    },
    status: 201,
    reply: s.ref("SignedIn"),
    cookie: gives,
    errors: [
      "phone_registration",
      "verification_wrong",
      "verification_expired",
      "sms_too_often",
      "invalid_state",
      "permission_denied",
      "not_found",
    ],
  },
  sign_in: {
    tag: "Sign-in",
    summary: "Sign in with a phone or an e-mail address, and its code",
    description: fromHere,
    request: {
      schema: s.such(s.closed({ code }, { ...contact, invitation }), oneContact),
      example: exampleProved,
    },
    reply: s.ref("SignedIn"),
    cookie: gives,
    errors: [
      "verification_wrong",
      "verification_expired",
      "sms_too_often",
      "invalid_state",
      "phone_unknown",
      "login_frozen",
      "permission_denied",
      "not_found",
    ],
  },
  refresh_session: {
    tag: "Sign-in",
    summary: "Get another access token, for the same organization or another one",
    description:
      "Only a page of the console may ask for it. Each refresh token is good once. An older one that comes back ends the session.",
    request: {
      schema: s.closed({}, { organization: maybe(s.such(s.string, "The id of an organization.")) }),
      example: { organization: organization.id },
      optional: true,
    },
    reply: s.ref("Tokens"),
    cookie: "Gives the next refresh token.",
    errors: ["session_expired", "login_frozen", "permission_denied", "rate_limited"],
  },
  sign_out: {
    tag: "Sign-in",
    summary: "End the session",
    description: "Only a page of the console may ask for it. Without a session it does nothing.",
    status: 204,
    cookie: "Takes the refresh token away.",
    errors: ["permission_denied", "invalid_request"],
  },
  list_sessions: {
    tag: "Sign-in",
    summary: "The open sessions of the user, the newest first",
    reply: whole(s.ref("Session")),
    errors: ["invalid_request"],
  },
  end_session: {
    tag: "Sign-in",
    summary: "End a session of the user",
    description: "It acts on the next call of that session.",
    parameter: idParameter("ses", "a session"),
    status: 204,
    errors: ["not_found"],
  },
  show_account: {
    tag: "Account",
    summary: "The user, their organizations, and the plan and wallet of the one that they work in",
    reply: s.ref("Account"),
    errors: ["invalid_request"],
  },
  change_account: {
    tag: "Account",
    summary: "Change the name or the language of the user",
    request: {
      schema: s.such(s.closed({}, { name: maybe(givenName), locale: maybe(locale) }), {
        minProperties: 1,
      }),
      example: { name: "Ann Lee" },
    },
    reply: s.ref("Account"),
    errors: [],
  },
  add_contact: {
    tag: "Account",
    summary: "Add a phone or an e-mail address to sign in by",
    description: `\`POST /api/v1/auth/code\` sends its code. A user has one of each kind at most. ${fresh}`,
    request: {
      schema: s.such(s.closed({ code }, contact), oneContact),
      example: { email: "ann@example.com", code: "123456" },
    },
    reply: s.ref("Account"),
    errors: [
      ...(["phone_registration", "verification_wrong", "verification_expired"] as const),
      ...(["sms_too_often", "invalid_state", "permission_denied"] as const),
    ],
  },
  remove_contact: {
    tag: "Account",
    summary: "Remove a phone or an e-mail address",
    description: `One of them stays. ${fresh}`,
    parameter: { description: "`phone` or `email`.", schema: s.oneOf(contactKinds) },
    reply: s.ref("Account"),
    errors: ["not_found", "invalid_state", "permission_denied"],
  },
} satisfies Readonly<Record<(typeof signInRoutes)[number]["operation"], ConsoleDescribed>>;
