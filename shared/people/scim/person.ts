/** A person as SCIM shows and changes one: which attributes are kept, and how each is read (README.md "Attributes"). */
import { entryOf, type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { scimLimits } from "./bounds.ts";
import type { DirectoryEmail, DirectoryGroup, DirectoryPerson } from "./directory.ts";
import type { FilterCondition } from "./filter.ts";
import { memberOf, type PatchStep, stepsOfObject } from "./patch.ts";
import { invalidValue, ScimError } from "./scim-error.ts";

/** What a provider says of a person. All other attributes, such as roles, ids and titles, are not kept. */
export type PersonFields = Pick<
  DirectoryPerson,
  | "user_name"
  | "external_id"
  | "display_name"
  | "formatted"
  | "given_name"
  | "family_name"
  | "emails"
  | "active"
>;

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/** The attributes that are texts, by their paths in lower case. */
const texts = {
  externalid: "external_id",
  displayname: "display_name",
  "name.formatted": "formatted",
  "name.givenname": "given_name",
  "name.familyname": "family_name",
} as const satisfies Readonly<Record<string, keyof PersonFields>>;

const blank: PersonFields = {
  ...{ user_name: "", external_id: null, display_name: null },
  ...{ formatted: null, given_name: null, family_name: null, emails: [], active: true },
};

/** A person of a whole body. `active` is as before where it is absent. Throws `invalidValue`. */
export function readPerson(body: Fields, active: boolean): PersonFields {
  return changedPerson({ ...blank, active }, stepsOfObject("replace", body));
}

/** A person after the steps of a PATCH, in their order. Throws `invalidValue`, `invalidPath`, `mutability`. */
export function changedPerson(before: PersonFields, steps: readonly PatchStep[]): PersonFields {
  const after = steps.reduce(changed, before);
  if (after.user_name === "") throw invalidValue("userName", "a non-empty string");
  return after;
}

function changed(person: PersonFields, step: PatchStep): PersonFields {
  const { op, path, value } = step;
  const { attribute, sub } = path;
  if (attribute === "emails") return { ...person, emails: changedEmails(person.emails, step) };
  if (attribute === "active" && sub === undefined) return { ...person, active: readActive(step, person) };
  if (attribute === "name" && sub === undefined) {
    const members = op === "remove" ? { formatted: null, givenname: null, familyname: null } : (value ?? {});
    if (!isObject(members)) throw invalidValue("name", "an object");
    const inner = Object.entries(members).map(([name, each]): PatchStep => {
      return { op: "replace", path: { attribute, where: undefined, sub: name.toLowerCase() }, value: each };
    });
    return inner.reduce(changed, person);
  }
  const name = sub === undefined ? attribute : `${attribute}.${sub}`;
  if (path.where) return person;
  if (name === "username") {
    if (op === "remove")
      throw new ScimError("invalid_request", "mutability", "`userName` cannot be removed.");
    return { ...person, user_name: readText(name, value) ?? "" };
  }
  const field = entryOf<keyof PersonFields>(texts, name);
  return field ? { ...person, [field]: op === "remove" ? null : readText(name, value) } : person;
}

/** A text of an attribute; null for an empty one, and for none. */
function readText(attribute: string, value: unknown): string | null {
  if (isAbsent(value)) return null;
  const text = typeof value === "string" ? value.trim() : undefined;
  const isGood = text !== undefined && text.length <= scimLimits.textCharsMax && !/\p{C}/u.test(text);
  if (!isGood) throw invalidValue(attribute, `a string of at most ${scimLimits.textCharsMax} characters`);
  return text === "" ? null : text;
}

/** Some providers send it as a text. Null says nothing (RFC 7643 §2.5), so nobody comes or goes by it. */
function readActive({ op, value }: PatchStep, { active }: PersonFields): boolean {
  if (op !== "remove" && isAbsent(value)) return active;
  const text = typeof value === "string" ? value.toLowerCase() : value;
  if (op !== "remove" && (text === true || text === "true")) return true;
  if (op !== "remove" && (text === false || text === "false")) return false;
  throw invalidValue("active", "a boolean");
}

/** `emails` is set or joined whole; `emails[type eq "work"].value` is a member of those that fit, or of a new one. */
function changedEmails(before: DirectoryEmail[], { op, path, value }: PatchStep): DirectoryEmail[] {
  const { where, sub } = path;
  const fits = (email: DirectoryEmail) => !where || where.every((each) => isWhere(email, each));
  if (op === "remove") return before.filter((email) => !fits(email));
  if (where === undefined && sub === undefined) {
    const given = (isAbsent(value) ? [] : [value].flat()).map(readEmailOf);
    const kept = op === "add" ? before.filter(({ type }) => !given.some((each) => each.type === type)) : [];
    return bounded([...kept, ...given]);
  }
  const started: DirectoryEmail = {
    value: "",
    type: String(where?.find((each) => each.attribute === "type")?.value ?? "work"),
    primary: before.length === 0 || where?.some(isPrimary) === true,
  };
  const isNew = !before.some(fits);
  const all = isNew ? [...before, started] : before;
  return bounded(
    all.map((email) => {
      if (!(isNew ? email === started : fits(email))) return email;
      const said = sub === undefined ? value : { [sub]: value };
      return readEmailOf({ ...email, ...(isObject(said) ? said : {}) });
    }),
  );
}

/** Some providers send booleans as texts, such as `primary eq "True"`. */
function isWhere(email: DirectoryEmail, { attribute, value }: FilterCondition): boolean {
  const own: Readonly<Record<string, string | boolean | null>> = { ...email };
  const is = Object.hasOwn(own, attribute) ? own[attribute] : null;
  return is !== null && String(is).toLowerCase() === String(value).toLowerCase();
}

function isPrimary({ attribute, value }: FilterCondition): boolean {
  return attribute === "primary" && String(value).toLowerCase() === "true";
}

function readEmailOf(given: unknown): DirectoryEmail {
  const fields = isObject(given) ? given : { value: given };
  const value = readText("emails.value", memberOf(fields, "value"));
  const type = readText("emails.type", memberOf(fields, "type"));
  const primary = memberOf(fields, "primary");
  if (value === null) throw invalidValue("emails.value", "a non-empty string");
  const isTrue = typeof primary === "string" && primary.toLowerCase() === "true";
  return { value, type, primary: primary === true || isTrue };
}

function bounded(emails: DirectoryEmail[]): DirectoryEmail[] {
  if (emails.length > scimLimits.emailsMax) throw invalidValue("emails", `at most ${scimLimits.emailsMax}`);
  return emails;
}

/** What a person is called in lists of members. */
export function calledOf({
  display_name,
  formatted,
  given_name,
  family_name,
  user_name,
}: PersonFields): string {
  const joined = [given_name, family_name].filter((each) => each !== null).join(" ");
  return display_name ?? formatted ?? (joined || (user_name.split("@", 1)[0] ?? ""));
}

/** A person as SCIM shows one. `base` is the address of the routes. */
export function personResource(person: DirectoryPerson, groups: readonly DirectoryGroup[], base: string) {
  const { id, user_name, external_id, display_name, formatted, given_name, family_name } = person;
  const name = {
    ...(formatted !== null && { formatted }),
    ...(given_name !== null && { givenName: given_name }),
    ...(family_name !== null && { familyName: family_name }),
  };
  return {
    schemas: [userSchema],
    id,
    ...(external_id !== null && { externalId: external_id }),
    userName: user_name,
    ...(display_name !== null && { displayName: display_name }),
    ...(Object.keys(name).length > 0 && { name }),
    emails: person.emails.map(({ value, type, primary }) => ({
      value,
      ...(type !== null && { type }),
      primary,
    })),
    active: person.active,
    groups: groups.map((group) => ({
      value: group.id,
      display: group.name,
      $ref: `${base}/Groups/${group.id}`,
    })),
    meta: metaOf("User", person, `${base}/Users/${id}`),
  };
}

/** What SCIM says about a resource itself. */
export function metaOf(
  resourceType: "User" | "Group",
  { created_at, changed_at }: Pick<DirectoryPerson, "created_at" | "changed_at">,
  location: string,
) {
  return { resourceType, created: rfc3339(created_at), lastModified: rfc3339(changed_at), location };
}
