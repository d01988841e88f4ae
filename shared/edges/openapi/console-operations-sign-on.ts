/** Sign-on by providers of organizations in the console's document (edges/console/routes/sign-on.ts). */
import { signOnLimits } from "../../people/sign-on/bounds.ts";
import { admissions, givenRoles } from "../../people/sign-on/connection.ts";
import type { signOnRoutes } from "../console/routes/sign-on.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { deleted, id, idParameter, maybe, text } from "./console-schemas.ts";
import * as s from "./schema.ts";

const bounded = (description: string, example: string, maxLength: number) =>
  s.such(text(description, example), { maxLength });

const issuer = bounded(
  "The issuer, as its metadata name it.",
  "https://id.example.com",
  signOnLimits.issuerCharsMax,
);
const clientId = bounded("The client that the provider knows.", "gateway", signOnLimits.clientIdCharsMax);
const scope = bounded("What is asked for.", "openid email profile", signOnLimits.scopeCharsMax);
const claim = bounded("The claim that has the groups.", "groups", signOnLimits.claimCharsMax);
const admits = s.oneOf(admissions, {
  description:
    "`domain`: who has a verified address in a proved domain. `everybody`: whomever the provider signs in.",
});
const givenRole = s.oneOf(givenRoles);
const rules = s.list(
  s.closed(
    { group: bounded("A group.", "gateway-admins", signOnLimits.groupCharsMax), role: givenRole },
    {
      projects: maybe(
        s.list(text("The handle of a project.", "search"), { maxItems: signOnLimits.projectsMax }),
      ),
    },
  ),
  {
    description:
      "The first rule that fits gives the role, and every one that does makes its people members of its projects.",
    maxItems: signOnLimits.rulesMax,
  },
);
const defaultRole = s.orNull(
  s.such(givenRole, "The role of who is in no group of a rule. Null: nobody else comes in."),
);

const domain = bounded("A domain of your own.", "example.com", 253);

const directory = {
  object: s.just("provisioning"),
  base_url: s.such(s.string, "The address that the provider must know as that of SCIM 2.0."),
  enabled: s.such(s.boolean, "There is a token. Then nobody new becomes a member by a sign-in alone."),
  token_made_at: s.orNull(s.instant),
  called_at: s.orNull(s.such(s.instant, "When the provider called last, to the minute.")),
  people: s.such(s.integer, "How many users it has provisioned."),
  groups: s.integer,
  external_id_claim: s.orNull(
    bounded(
      "The claim that is a person's `externalId` at a first sign-in. Null: a verified address finds the person.",
      "oid",
      signOnLimits.claimCharsMax,
    ),
  ),
};
const provisioning = s.closed(directory);

export const signOnSchemas = {
  Connection: s.closed({
    ...{ issuer, client_id: clientId, scope, admits, groups_claim: claim, rules },
    default_role: defaultRole,
    changed_at: s.instant,
  }),
  Domain: s.closed({
    id: domain,
    object: s.just("domain"),
    proved: s.such(s.boolean, "The record was seen lately, so that people of the domain sign in here."),
    record: s.such(s.closed({ name: s.string, type: s.just("TXT"), value: s.string }), {
      description: "The record in DNS that proves the domain.",
    }),
    seen_at: s.orNull(s.such(s.instant, "When the record was last seen.")),
    created_at: s.instant,
  }),
  Provisioning: provisioning,
  SignOn: s.closed({
    object: s.just("sign_on"),
    redirect_uri: s.such(s.string, "What the provider must know as the address to lead back to."),
    required: s.such(s.boolean, "Nobody comes in another way."),
    connection: s.orNull(s.ref("Connection")),
    domains: s.list(s.ref("Domain")),
  }),
  Departure: s.closed({ url: s.such(s.string, "Where the browser goes: a page of the provider.") }),
};

/** An operation whose page came from elsewhere may sign its visitor in as somebody else. */
const fromHere = "A browser may ask for it from a page of the console alone.";
const gives = "Gives the attempt, as `__Host-sign-on`, for ten minutes.";
const parameter = { description: "The domain." };

export const signOnOperations = {
  begin_sign_on: {
    tag: "Sign-in",
    summary: "Find the provider of an address's organization",
    description: `Only the domain of the address counts. ${fromHere}`,
    request: {
      schema: s.closed({ email: text("An e-mail address.", "ann@example.com") }),
      example: { email: "ann@example.com" },
    },
    reply: s.ref("Departure"),
    cookie: gives,
    errors: ["permission_denied", "not_found", "rate_limited", "invalid_state", "upstream_error"],
  },
  begin_link: {
    tag: "Sign-in",
    summary: "Join the own account to the one at the organization's provider",
    reply: s.ref("Departure"),
    cookie: gives,
    errors: ["invalid_request", "not_found", "invalid_state", "upstream_error"],
  },
  finish_sign_on: {
    tag: "Sign-in",
    summary: "Sign in with what the provider has sent back",
    description: `It reads the cookie of the attempt, which is good once. ${fromHere}`,
    request: {
      schema: s.closed(
        {
          organization: id("org"),
          code: text("The parameter `code` of the page's address.", "SplxlOBeZQQYbYS6WxSbIA"),
          state: text("The parameter `state` of it.", "af0ifjsldkj"),
        },
        { iss: maybe(s.such(s.string, "The parameter `iss` of it (RFC 9207).")) },
      ),
      example: {
        organization: "org_01KAJ2X5P00000000000000000",
        code: "SplxlOBeZQQYbYS6WxSbIA",
        state: "af0ifjsldkj",
        iss: "https://id.example.com",
      },
    },
    reply: s.ref("SignedIn"),
    cookie: "Gives the refresh token, as `__Host-session`.",
    errors: [
      ...(["permission_denied", "verification_wrong", "verification_expired", "session_expired"] as const),
      ...(["login_frozen", "invalid_state", "upstream_error"] as const),
    ],
  },
  show_sign_on: {
    tag: "Organization",
    summary: "How the organization's people sign in by its own provider",
    reply: s.ref("SignOn"),
    errors: ["invalid_request"],
  },
  change_sign_on: {
    tag: "Organization",
    summary: "Set the provider, whom it lets in and as what, and whether it is the only way in",
    description:
      "The provider's metadata are read first. A new issuer comes with its client's secret. `required` takes an owner who came by the provider.",
    request: {
      schema: s.closed(
        {},
        {
          ...{ issuer: maybe(issuer), client_id: maybe(clientId) },
          client_secret: maybe(
            bounded("Never shown again.", "GOCSPX-secret", signOnLimits.clientSecretCharsMax),
          ),
          ...{ scope: maybe(scope), admits: maybe(admits), groups_claim: maybe(claim), rules: maybe(rules) },
          default_role: defaultRole,
          required: maybe(s.such(s.boolean, "Whether nobody comes in another way.")),
        },
      ),
      example: {
        issuer: "https://id.example.com",
        client_id: "gateway",
        client_secret: "a secret",
        rules: [{ group: "gateway-admins", role: "admin" }],
        default_role: "member",
      },
    },
    reply: s.ref("SignOn"),
    errors: ["not_found", "invalid_state", "upstream_error", "verification_wrong"],
  },
  remove_sign_on: {
    tag: "Organization",
    summary: "Remove the provider",
    reply: deleted("sign_on"),
    errors: ["invalid_request", "not_found", "invalid_state"],
  },
  claim_domain: {
    tag: "Organization",
    summary: "Claim a domain, and get the record that proves it",
    request: { schema: s.closed({ domain }), example: { domain: "example.com" } },
    reply: s.ref("Domain"),
    errors: ["invalid_state"],
  },
  check_domain: {
    tag: "Organization",
    summary: "Look for the record of a domain",
    parameter,
    reply: s.ref("Domain"),
    errors: ["invalid_request", "not_found", "invalid_state"],
  },
  drop_domain: {
    tag: "Organization",
    summary: "Give a domain up",
    parameter,
    reply: deleted("domain"),
    errors: ["invalid_request", "not_found", "invalid_state"],
  },
  show_provisioning: {
    tag: "Organization",
    summary: "Whether the provider may provision people by SCIM",
    reply: s.ref("Provisioning"),
    errors: ["invalid_request"],
  },
  change_provisioning: {
    tag: "Organization",
    summary: "Say by what a first sign-in finds the person whom SCIM has made",
    request: {
      schema: s.closed({ external_id_claim: directory.external_id_claim }),
      example: { external_id_claim: "oid" },
    },
    reply: s.ref("Provisioning"),
    errors: ["not_found", "invalid_state"],
  },
  make_provisioning_token: {
    tag: "Organization",
    summary: "Make a token for SCIM",
    description: "It is shown once. The one before ends at once. The organization must have a provider.",
    status: 201,
    reply: s.closed({ ...directory, token: s.such(s.string, "What the provider sends as bearer.") }),
    errors: ["invalid_request", "not_found", "invalid_state"],
  },
  remove_provisioning_token: {
    tag: "Organization",
    summary: "End the token of SCIM",
    description: "Whom the provider has provisioned stays.",
    reply: deleted("provisioning_token"),
    errors: ["invalid_request", "not_found", "invalid_state"],
  },
  release_sign_on: {
    tag: "Organization",
    summary: "Forget by which account of the provider a member signs in",
    description:
      "For somebody whom SCIM has provisioned, and whose account at the provider was made anew. Their next sign-in links them again, as the first one did. Their sessions and programs by the provider end.",
    parameter: idParameter("usr", "a member"),
    reply: deleted("member_sign_on"),
    errors: ["invalid_request", "permission_denied", "not_found", "invalid_state"],
  },
} as const satisfies Readonly<Record<(typeof signOnRoutes)[number]["operation"], ConsoleDescribed>>;
