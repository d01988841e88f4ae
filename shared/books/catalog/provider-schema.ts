/** The form of a provider in a catalog file. No function bundles it. */
import * as z from "zod/mini";
import type { Provider } from "./catalog.ts";
import { protocolNames } from "./catalog.ts";
import { type CloudAuth, cloudAuths, type KeyAuth, keyAuths, needsKey } from "./credential.ts";
import { hostNames } from "./host.ts";
import { isLoopback, withoutNames } from "./provider.ts";
import { statedTraits } from "./traits-schema.ts";

const baseUrl = z
  .string()
  .check(z.refine(isBaseUrl, "must be an https URL (http on loopback only) that ends without a slash"));

function isBaseUrl(value: string): boolean {
  const filled = withoutNames(value);
  if (!URL.canParse(filled) || /[{}]/.test(filled)) return false;
  const { protocol, username, password, search, hash } = new URL(filled);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(filled));
  return isSafe && `${username}${password}${search}${hash}` === "" && !/[/?#]$/.test(filled);
}

const secretName = z.string().check(z.regex(/^[A-Z][A-Z0-9_]*$/, "must be a name like ACME_API_KEY"));

const region = z.string().check(z.regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, "must be a region like eu-west-1"));
const roleArn = z
  .string()
  .check(z.regex(/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, "must be the ARN of a role"));
/** STS takes these characters alone (API reference, AssumeRole). */
const externalId = z
  .string()
  .check(z.regex(/^[\w+=,.@:/-]{2,1224}$/, "must be 2 to 1,224 characters of AWS's"));

type RoleMember = "external_id" | "session_tags";

/** A member that says something of assuming a role. */
function needsRole(member: RoleMember) {
  return z.refine<{ role_arn?: string } & { [Member in RoleMember]?: unknown }>(
    (told) => told.role_arn !== undefined || told[member] === undefined,
    { path: [member], error: "means nothing without `role_arn`" },
  );
}

/** The form of `credential`, by the provider's `auth`. The other kinds are told nothing. */
const credentials: Partial<Record<KeyAuth | CloudAuth, z.ZodMiniType>> = {
  aws_role: z
    .strictObject({
      region: z.exactOptional(region),
      role_arn: z.exactOptional(roleArn),
      external_id: z.exactOptional(externalId),
      session_tags: z.exactOptional(z.literal("organization")),
    })
    .check(needsRole("external_id"), needsRole("session_tags")),
};

const fields = z
  .strictObject({
    protocols: z.partialRecord(z.enum(protocolNames), baseUrl),
    auth: z._default(z.enum([...keyAuths, ...cloudAuths]), "bearer"),
    credential: z.exactOptional(z.unknown()),
    host: z.exactOptional(z.enum(hostNames)),
    secret: z.exactOptional(secretName),
    secrets: z.exactOptional(
      z.array(secretName).check(
        z.minLength(1),
        z.refine((names) => new Set(names).size === names.length, "must not name one twice"),
      ),
    ),
    traits: z.exactOptional(statedTraits),
  })
  .check(
    z.refine(
      ({ auth, secret, secrets }) => !needsKey(auth) || secret !== undefined || secrets !== undefined,
      {
        path: ["secret"],
        error: "must be given, or `secrets`",
      },
    ),
    z.refine(({ secret, secrets }) => !secret || !secrets?.[0] || secret === secrets[0], {
      path: ["secrets"],
      error: "must begin with `secret`, or stand without it",
    }),
    ({ value, issues }) => {
      const { auth, credential } = value;
      if (credential === undefined) return;
      const form = credentials[auth];
      const found = form
        ? (z.safeParse(form, credential, { error: z.locales.en().localeError }).error?.issues ?? [])
        : [{ path: [], message: `means nothing for the auth ${auth}` }];
      for (const { path, message } of found)
        issues.push({ code: "custom", path: ["credential", ...path], message, input: credential });
    },
  );

/** A provider with `secret` or `secrets`, or of a cloud perhaps with neither. Parsed, `secret` is the first of `secrets`. */
export const provider = z.pipe(
  fields,
  z.transform(({ secret, ...given }): Provider => {
    const first = secret ?? given.secrets?.[0];
    return { ...(given as Omit<Provider, "secret">), ...(first !== undefined && { secret: first }) };
  }),
);
