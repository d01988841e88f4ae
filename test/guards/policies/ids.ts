/** Ids of what a provider keeps, and whom they may go up for (shared/calls/protocols/provider-ids.md). */
import type { Row } from "#test/guards/guard.ts";

const own = "shared/calls/gateway/own-ids ›";
const back = "shared/calls/gateway/marked-answers ›";

export const ids: Row[] = [
  {
    id: "ids-1",
    rule: "a mark holds for one organization and one project",
    test: `${own} %s is refused by name, and nothing is sent or held`,
    guard: "JSON.stringify([organization, project, account, id])",
    without: "JSON.stringify([account, id])",
  },
  {
    id: "ids-2",
    rule: "an id of an item that is whole is taken out where it is not ours",
    test: `${back} needs no id where an item is whole: one that is not ours is taken out`,
    guard: "return { path, id: own?.id };",
    without: "return { path, id: own?.id ?? id };",
  },
  {
    id: "ids-3",
    rule: "what a client wrote into its metadata comes back as it was",
    test: `${back} has a mark on each id, and every other byte as it came`,
    guard: "start === 0 || at < wordsEnd ? -1",
    without: "start === 0 ? -1",
  },
  {
    id: "ids-4",
    rule: "a mark under the pepper before is taken until that is dropped",
    test: `${back} an id that was given before is taken until the version is dropped`,
    guard: "[peppers.current, peppers.previous].find(",
    without: "[peppers.current].find(",
  },
  {
    id: "ids-5",
    rule: "a call goes to the account that knows its ids",
    test: `${own} goes to the channel whose account gave the id, whatever its priority`,
    guard: "if (knowing.length > 0) return knowing;",
    without: "",
  },
  {
    id: "ids-6",
    rule: "a picture's address that crosses to Gemini names no file of our account",
    test: `${own} an address of Google's files does not cross to Gemini`,
    guard: "if (isKept(address)) throw notGiven(name);",
    without: "",
  },
  {
    id: "ids-7",
    rule: "no prefix of a marked id is another id",
    test: `${own} %s is refused by name, and nothing is sent or held`,
    guard:
      "return given.length === right.length && timingSafeEqual(given, right) ? { id, account } : undefined;",
    without: "return given.length === right.length ? { id, account } : undefined;",
  },
];
