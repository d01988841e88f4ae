/** What SCIM says of itself: which parts of it are here, and which attributes are kept (RFC 7643 §5, RFC 7643 §7). */
import { scimLimits } from "./bounds.ts";
import { groupSchema } from "./group.ts";
import { userSchema } from "./person.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0";

/** What is supported of the protocol. */
export function providerConfig(base: string): object {
  const no = { supported: false };
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: scimLimits.pageMax },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Token of the organization",
        description: "An owner makes it in the console.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): object[] {
  return (["User", "Group"] as const).map((name) => ({
    schemas: [`${core}:ResourceType`],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: name === "User" ? userSchema : groupSchema,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  }));
}

/** An attribute of a schema, by its name and what differs from a text that may be absent. */
function attribute(name: string, more: object = {}): object {
  const usual = { type: "string", multiValued: false, required: false, caseExact: false };
  return { name, ...usual, mutability: "readWrite", returned: "default", uniqueness: "none", ...more };
}

const complex = (name: string, subAttributes: object[], more: object = {}) =>
  attribute(name, { type: "complex", subAttributes, ...more });
const readOnly = { mutability: "readOnly" };
const many = { multiValued: true };

const ofUser = [
  attribute("userName", { required: true, uniqueness: "server" }),
  attribute("externalId", { caseExact: true }),
  attribute("displayName"),
  complex(
    "name",
    ["formatted", "givenName", "familyName"].map((name) => attribute(name)),
  ),
  complex("emails", [attribute("value"), attribute("type"), attribute("primary", { type: "boolean" })], many),
  attribute("active", { type: "boolean" }),
  complex("groups", [attribute("value", readOnly), attribute("display", readOnly)], { ...many, ...readOnly }),
];

const ofGroup = [
  attribute("displayName", { required: true, uniqueness: "server" }),
  attribute("externalId", { caseExact: true }),
  complex("members", [attribute("value", { mutability: "immutable" }), attribute("display", readOnly)], many),
];

export function schemas(base: string): object[] {
  const described = [
    [userSchema, "User", "Somebody who may sign in.", ofUser],
    [groupSchema, "Group", "A group, which may give its people a role.", ofGroup],
  ] as const;
  return described.map(([id, name, description, attributes]) => ({
    schemas: [`${core}:Schema`],
    ...{ id, name, description, attributes },
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  }));
}
