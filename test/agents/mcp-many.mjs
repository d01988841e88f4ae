/** An MCP server on standard input and output with sixty tools. Each writes a file, so that a call of it can be seen. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const inputSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "where the file is written" },
    content: { type: "string" },
    mode: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], default: null },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["path", "content"],
  additionalProperties: false,
};
const tools = Array.from({ length: 60 }, (_, at) => {
  return { name: `tool_${at}`, description: `Writes a file in way ${at}.`, inputSchema };
});

/** The result of a request, or undefined for what has none. */
function resultOf({ method, params }) {
  if (method === "initialize") {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "many", version: "1.0.0" } };
  }
  if (method === "tools/list") return { tools };
  if (method === "tools/call") {
    writeFileSync(params.arguments.path, params.arguments.content);
    return { content: [{ type: "text", text: "The file is written." }] };
  }
  return method === "ping" ? {} : undefined;
}

for await (const line of createInterface(process.stdin)) {
  const request = JSON.parse(line);
  if (request.id === undefined) continue;
  const result = resultOf(request);
  const error = { code: -32_601, message: "There is no such method." };
  const reply = result ? { result } : { error };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...reply })}\n`);
}
