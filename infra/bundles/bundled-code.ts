/** The code as this repository has it, bundled at the synthesis. */
import { join } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { bundleNamed } from "./bundles.ts";
import type { CodeSource } from "./code.ts";
import { bundleServer } from "./server-bundle.ts";

/** Bundles with the checked catalog of this absolute path, which the code imports as `#catalog`. */
export function bundledCode(catalogFile: string): CodeSource {
  return {
    functionCode: (name) => bundleOf(name, catalogFile),
    writeServer: (folder) => bundleServer(folder, catalogFile),
  };
}

/** The code of a function. It is bundled here, and named by a hash of what comes out. */
function bundleOf(name: string, catalogFile: string): Code {
  return Code.fromAsset(join(import.meta.dirname, "../../functions"), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      local: {
        tryBundle(outdir) {
          bundleNamed(name, catalogFile, outdir);
          return true;
        },
      },
      // No container is ever asked, because the bundling above does not refuse. The command tells the functions apart.
      image: DockerImage.fromRegistry("none"),
      command: [name],
    },
  });
}
