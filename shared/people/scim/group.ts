/** A group as SCIM shows and changes one (README.md "Attributes"). */
import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { scimLimits } from "./bounds.ts";
import type { DirectoryGroup, DirectoryPerson } from "./directory.ts";
import { memberOf, type PatchStep, stepsOfObject } from "./patch.ts";
import { metaOf } from "./person.ts";
import { invalidValue } from "./scim-error.ts";

export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** A change of who is in a group: all who are `kept` of those before, without `out`, and with `in`. */
export interface MemberEdit {
  keeps: boolean;
  in: ReadonlySet<string>;
  out: ReadonlySet<string>;
}

/** A change of a group. What is undefined stays. */
export interface GroupEdit {
  name: string | undefined;
  external_id: string | null | undefined;
  members: MemberEdit;
}

const nobodyMoves: MemberEdit = { keeps: true, in: new Set(), out: new Set() };

/** The change by a whole body: who is not named is out. Throws `invalidValue`. */
export function readGroup(body: Fields): GroupEdit & { name: string } {
  const start = { keeps: false, in: new Set<string>(), out: new Set<string>() };
  const edit = editBy(stepsOfObject("replace", body), start);
  if (edit.name === undefined) throw invalidValue("displayName", "a non-empty string");
  return { ...edit, name: edit.name, external_id: edit.external_id ?? null };
}

/** The change by the steps of a PATCH, in their order. Throws `invalidValue`. */
export function editBy(steps: readonly PatchStep[], members: MemberEdit = nobodyMoves): GroupEdit {
  return steps.reduce(edited, { name: undefined, external_id: undefined, members });
}

function edited(edit: GroupEdit, step: PatchStep): GroupEdit {
  const { op, path, value } = step;
  if (path.attribute === "members") return { ...edit, members: moved(edit.members, step) };
  if (path.sub !== undefined || path.where) return edit;
  if (path.attribute === "displayname") {
    const name = op === "remove" ? undefined : readName(value);
    if (!name) throw invalidValue("displayName", "a non-empty string");
    return { ...edit, name };
  }
  if (path.attribute !== "externalid") return edit;
  return { ...edit, external_id: op === "remove" || isAbsent(value) ? null : readName(value) };
}

function readName(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : undefined;
  if (text === undefined || text.length > scimLimits.textCharsMax || /\p{C}/u.test(text))
    throw invalidValue("displayName", `a string of at most ${scimLimits.textCharsMax} characters`);
  return text;
}

/** `members[value eq "…"]` names one; else the value does, and a removal without a value takes everybody out. */
function moved(before: MemberEdit, { op, path, value }: PatchStep): MemberEdit {
  const { where } = path;
  const [first, ...others] = where ?? [];
  if (first && (first.attribute !== "value" || typeof first.value !== "string" || others.length > 0))
    throw invalidValue("members", 'named by `members[value eq "…"]`');
  const isAll = op === "remove" && !where && isAbsent(value);
  const named = first ? [String(first.value)] : readMembers(value);
  if (isAll || (op === "replace" && !where)) return { keeps: false, in: new Set(named), out: new Set() };
  const theirs = new Set(named);
  const [inside, outside] = [before.in, before.out];
  if (op === "remove") return { ...before, in: inside.difference(theirs), out: outside.union(theirs) };
  return { ...before, in: inside.union(theirs), out: outside.difference(theirs) };
}

function readMembers(value: unknown): string[] {
  const given = isAbsent(value) ? [] : [value].flat();
  if (given.length > scimLimits.membersMax) throw invalidValue("members", `at most ${scimLimits.membersMax}`);
  return given.map((member) => {
    const id = isObject(member) ? memberOf(member, "value") : member;
    if (typeof id !== "string" || id === "") throw invalidValue("members.value", "the id of a user");
    return id;
  });
}

/** A group as SCIM shows one. `members` is undefined where nobody asked for them. */
export function groupResource(
  group: DirectoryGroup,
  members: readonly Pick<DirectoryPerson, "id" | "user_name">[] | undefined,
  base: string,
) {
  const { id, name, external_id } = group;
  return {
    schemas: [groupSchema],
    id,
    ...(external_id !== null && { externalId: external_id }),
    displayName: name,
    ...(members && {
      members: members.map((member) => ({
        value: member.id,
        display: member.user_name,
        $ref: `${base}/Users/${member.id}`,
      })),
    }),
    meta: metaOf("Group", group, `${base}/Groups/${id}`),
  };
}
