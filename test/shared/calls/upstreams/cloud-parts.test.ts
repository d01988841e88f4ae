/** Which parts of the clouds a gateway loads: none without a cloud, and then those of its kind with the first call. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const program = new URL("../../../support/cloud-parts.ts", import.meta.url).pathname;

test("a provider with a key loads no part of any cloud, and a cloud loads its own with its first call", () => {
  const output = execFileSync(process.execPath, [program], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({
    key: { status: 200, files: [] },
    role: {
      status: 200,
      files: [
        "shared/base/platform/kept-token.ts",
        "shared/base/platform/request-signature.ts",
        "shared/calls/upstreams/credentials/aws-role.ts",
        "shared/calls/upstreams/credentials/sts.ts",
      ],
    },
    azure: { status: 200, files: ["shared/calls/upstreams/hosts/azure.ts"] },
  });
});
