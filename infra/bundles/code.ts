/** Where the code of the functions and of the server comes from: it is bundled at the synthesis, or was built before. */
import type { Code } from "aws-cdk-lib/aws-lambda";

export interface CodeSource {
  /** The code of the function `functions/<name>.ts`, with the catalog beside it. */
  functionCode(name: string): Code;
  /** Writes the folder of the server, with the catalog beside it, and gives it. */
  writeServer(folder: string): string;
}
