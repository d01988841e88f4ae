/**
 * The line that sets a coding agent up for another model. Where nobody names one, the program calls a model of its own
 * choice. The catalog may lack it. `console/agents.ts` has all lines of each program.
 */
import { GatewayError } from "../../base/errors.ts";

interface Program {
  name: string;
  /** How its `user-agent` begins. */
  agent: string;
  /** Where the line belongs, and the line. */
  place: string;
  line: (model: string) => string;
}

const shell = "in the shell";

export const programs: readonly Program[] = [
  { name: "Claude Code", agent: "claude-cli/", place: shell, line: (id) => `export ANTHROPIC_MODEL=${id}` },
  { name: "Codex", agent: "codex", place: "in ~/.codex/config.toml", line: (id) => `model = "${id}"` },
  { name: "Gemini CLI", agent: "GeminiCLI", place: shell, line: (id) => `gemini -m ${id}` },
  { name: "opencode", agent: "opencode/", place: shell, line: (id) => `opencode -m gateway/${id}` },
];

/** An error with the line that would mend it; as it was, where no model is near or the program is none of these. */
export function withProgramLine(error: unknown, userAgent = ""): unknown {
  if (!(error instanceof GatewayError) || error.key !== "not_found") return error;
  const { nearest, param } = error.detail;
  const program = programs.find(({ agent }) => userAgent.startsWith(agent));
  if (!program || nearest === undefined || param !== "model") return error;
  const { name, place, line } = program;
  const told = `For ${name}, this line ${place}: ${line(nearest)} (all of its lines: /docs)`;
  return new GatewayError(error.key, { ...error.detail, message: `${error.message} ${told}` });
}
