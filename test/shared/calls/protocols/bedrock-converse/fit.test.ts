/** A body of Converse as one model takes it. */
import { describe, expect, test } from "vitest";
import type { Traits } from "#shared/books/catalog/traits.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { tools, written } from "#test/support/converse.ts";

describe("a body is made to fit its model", () => {
  test("without a choice or stop sequences that it does not take", () => {
    const asked = { tools, tool_choice: { type: "required" }, stop: ["END"], temperature: 0.5 } as const;
    const { body, dropped } = written(
      { ...asked, stop: ["END"] },
      {
        tool_choice: ["auto"],
        stop_max: 0,
        sampling: { refused: ["temperature"] },
      },
    );
    expect(body.toolConfig?.toolChoice).toBeUndefined();
    expect(body.inferenceConfig).toEqual({ maxTokens: 4_000 });
    expect(dropped).toEqual(["stop", "temperature", "tool_choice"]);
  });

  test("without a choice that it refuses while it reasons", () => {
    const traits: Traits = {
      family: "gpt_oss",
      reasoning: { forms: ["effort"], efforts: ["low"], always: true, tool_choice: ["auto"] },
    };
    expect(written({ tools, tool_choice: { type: "required" } }, traits).dropped).toEqual(["tool_choice"]);
  });

  const format = {
    type: "json_schema",
    name: "a",
    schema: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
    strict: true,
  } as const;
  const strict: ChatRequest["tools"] = [
    { name: "f", strict: true, parameters: format.schema },
    { name: "g" },
  ];
  const schemaOf = ({ outputConfig }: ReturnType<typeof written>["body"]) =>
    (outputConfig as { textFormat: { structure: { jsonSchema: { schema: string } } } }).textFormat.structure
      .jsonSchema.schema;

  test("without a schema or a strictness that it cannot be held to", () => {
    const { body, dropped } = written({ format, tools: strict }, { schema: { forms: [] } });
    expect([body.outputConfig, body.toolConfig?.tools[0]]).toEqual([
      undefined,
      { toolSpec: { name: "f", inputSchema: { json: format.schema } } },
    ]);
    expect(dropped).toEqual(["format", "tools.strict"]);
  });

  test("without the keywords that it refuses", () => {
    const traits: Traits = { schema: { forms: ["json_schema"], refused: ["minimum"] } };
    const { body, dropped } = written({ format, tools: strict }, traits);
    const n = { type: "integer" };
    expect(JSON.parse(schemaOf(body))).toMatchObject({ properties: { n } });
    expect(schemaOf(body)).not.toContain("minimum");
    expect(body.toolConfig?.tools[0]).toMatchObject({
      toolSpec: { strict: true, inputSchema: { json: { type: "object", properties: { n } } } },
    });
    expect(JSON.stringify(body.toolConfig)).not.toContain("minimum");
    expect(dropped).toEqual(["format.schema.minimum", "tools.parameters.minimum"]);
  });

  test("with the digits of its schema", () => {
    const schema = { const: JSON.rawJSON("12345678901234567890") };
    const traits: Traits = { schema: { forms: ["json_schema"], refused: ["minimum"] } };
    const { body } = written({ format: { ...format, schema } }, traits);
    expect(schemaOf(body)).toBe('{"const":12345678901234567890}');
  });
});
