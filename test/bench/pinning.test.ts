/** Which cores the bench may use, by what Linux says of them. */
import { expect, test } from "vitest";
import { allowedCores } from "./pinning.ts";

const saying = (list: string) =>
  allowedCores(() => `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\n`);

test("are those of Linux's list, in its order", () => {
  expect(saying("0")).toEqual([0]);
  expect(saying("0-1")).toEqual([0, 1]);
  expect(saying("0,2-4,8")).toEqual([0, 2, 3, 4, 8]);
});

test("are none where Linux does not say", () => {
  expect(allowedCores(() => "Name:\tnode\n")).toEqual([]);
  const noFile = () => {
    throw new Error("ENOENT");
  };
  expect(allowedCores(noFile)).toEqual([]);
});
