/**
 * The ids of a request that name what a provider keeps, checked and changed into those that it knows
 * (calls/protocols/provider-ids.md). This is loaded with the first call that has any, or whose answer brings some.
 */

import { type JsonBody, readJsonObject } from "../../base/json/body.ts";
import { editItems, editMembers } from "../../base/json/edit.ts";
import type { Peppers } from "../../base/platform/pepper.ts";
import { longTextPlaces } from "../chat/measure.ts";
import { isNewer, markersOf, type Owner, type Unmarked, unmarked } from "../exchange/own-ids.ts";
import { routeOf } from "../exchange/upstream-route.ts";
import { type FoundId, idsIn } from "../protocols/found-ids.ts";
import { type IdPlaces, notGiven } from "../protocols/provider-ids.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

type IdDeps = Pick<Deps, "catalog" | "secrets">;

/** What a call has to do with ids. */
interface IdCall {
  decoded: Decoded;
  body: JsonBody;
  places: IdPlaces;
  /** Its answer brings ids that a later request can use. */
  brings: boolean;
}

/**
 * A call with the ids that its provider knows in place of those that the client has. Throws `invalid_request` for one
 * that this project was not given.
 */
export async function changeIds({ decoded, body, places, brings }: IdCall, deps: IdDeps): Promise<Decoded> {
  const { answers } = places;
  const found = idsIn(body.outline, places);
  if ((found.length === 0 && !brings) || !goesUp(decoded, deps)) return decoded;
  const { organization, key } = decoded.principal;
  const owner = { organization: organization.id, project: key.project };
  const peppers = await peppersFor(found, deps);
  const { edits, account } = editsOf(found, owner, peppers);
  return {
    ...decoded,
    ...(edits.length > 0 && { body: edited(body, edits) }),
    ...(account !== undefined && { account }),
    ...(brings && answers && { markersFor: markersOf(answers, owner, peppers) }),
  };
}

/** Whether a provider may be sent the body as it came. Else the ids in it reach nobody: a crossing carries none. */
function goesUp(decoded: Decoded, { catalog }: Pick<Deps, "catalog">): boolean {
  return decoded.model.channels.some(({ provider: name }) => {
    const provider = catalog.provider(name);
    return provider !== undefined && routeOf(decoded, provider)?.protocol === decoded.protocol;
  });
}

/** The pepper's versions, read again where another process has marked an id under a newer one. */
async function peppersFor(found: readonly FoundId[], { secrets }: Pick<Deps, "secrets">): Promise<Peppers> {
  const peppers = await secrets.peppers();
  const hasNewer = found.some(({ id }) => isNewer(id, peppers));
  return hasNewer ? await secrets.peppers(peppers) : peppers;
}

/** What stands in an id's place. Undefined takes it out. */
interface IdEdit {
  path: FoundId["path"];
  id: string | undefined;
}

/** The edits of a request, and the account that it must be sent to, if any. */
function editsOf(
  found: readonly FoundId[],
  owner: Owner,
  peppers: Peppers,
): { edits: IdEdit[]; account: string | undefined } {
  let account: string | undefined;
  const edits = found.map(({ path, id, spare }): IdEdit => {
    const own = unmarked(id, owner, peppers);
    if (!own && !spare) throw notGiven(nameOf(path));
    if (own && !spare) account = accountOfAll(account, own, path);
    return { path, id: own?.id };
  });
  return { edits, account };
}

/** No two accounts know all ids of a request. Throws `invalid_request` where it would need them. */
function accountOfAll(known: string | undefined, { account }: Unmarked, path: FoundId["path"]): string {
  if (known !== undefined && known !== account) throw notGiven(nameOf(path));
  return account;
}

/** A path as errors write it: `input[0].id`. */
function nameOf(path: FoundId["path"]): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name === "" ? part : `${name}.${part}`),
    "",
  );
}

function edited({ bytes }: JsonBody, edits: readonly IdEdit[]): JsonBody {
  return readJsonObject(editAt(bytes, edits, 0) ?? bytes, longTextPlaces);
}

/** A JSON value with these ids changed. `depth` is how far their paths have led here. */
function editAt(value: Buffer, edits: readonly IdEdit[], depth: number): Buffer | undefined {
  const [first] = edits;
  if (first?.path.length === depth)
    return first.id === undefined ? undefined : Buffer.from(JSON.stringify(first.id));
  const inside = Map.groupBy(edits, ({ path }) => path[depth]);
  const edit = (key: string | number) => (inner: Buffer) => editAt(inner, inside.get(key) ?? [], depth + 1);
  if (typeof first?.path[depth] === "number")
    return editItems(value, (item, index) => (inside.has(index) ? edit(index)(item) : item));
  return editMembers(value, Object.fromEntries([...inside.keys()].map((key) => [key, edit(String(key))])));
}
