/** A provider's 400: the client's own fault in its own words, or ours, which another channel may not have. */
import { describe, expect, test } from "vitest";
import { completion, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

function refuses(body: unknown): void {
  scenario.upstream.on((_, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

const badKey = {
  code: 400,
  message: "API key not valid. Please pass a valid API key.",
  status: "INVALID_ARGUMENT",
  details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
};
const ours: [name: string, body: unknown][] = [
  ["Google's of a bad key", { error: badKey }],
  ["the same in its OpenAI form", [{ error: badKey }]],
  [
    "Google's of our place",
    { error: { code: 400, message: "User location is not supported for the API use." } },
  ],
  [
    "Anthropic's of our money",
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
      },
    },
  ],
  ["OpenAI's of our limit", { error: { code: "billing_hard_limit_reached", message: "Reached." } }],
];

describe("a refusal of our account", () => {
  test.each(ours)("is not the client's fault, and not told: %s", async (_, body) => {
    refuses(body);
    const reply = await scenario.chat();
    expect(reply.status).toBe(500);
    expect(reply.json().error).toMatchObject({ code: "50001", message: "The model's provider failed." });
  });

  test("lets the next channel try", async () => {
    scenario.upstream.on((_, response) => {
      const refused = scenario.upstream.requests.length === 1;
      response.writeHead(refused ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(refused ? { error: badKey } : completion));
    });
    const model = scenario.memory.deps.catalog.find("test/model-1");
    model?.channels.push({ ...model.channels[0], model: "second" } as never);
    expect((await scenario.chat()).json()).toEqual(completion);
  });
});

const blamed: [body: unknown, message: string][] = [
  [[{ error: { code: 400, message: "No such tool." } }], "No such tool."],
  [{ error: "No such tool." }, "No such tool."],
  [{ detail: "No such tool." }, "No such tool."],
  [{ message: "No such tool." }, "No such tool."],
  [["x"], "The model's provider refused the request."],
  [[], "The model's provider refused the request."],
  [{ error: { message: "The prompt says: Your credit balance is too low" } }, "The prompt says: Your credit"],
];

test.each(blamed)(
  "a refusal of the request is told in whichever form it comes: %j",
  async (body, message) => {
    refuses(body);
    const reply = await scenario.chat();
    expect(reply.status).toBe(400);
    expect((reply.json().error as { message: string }).message).toContain(message);
  },
);

describe("our key, quoted by a provider", () => {
  const key = "upstream-secret";

  test.each([400, 413, 422])("is in no part of a %i, as code, type or sentence", async (status) => {
    for (const error of [{ code: key }, { type: key }, { code: key.slice(2), message: btoa(`:${key}`) }]) {
      scenario.upstream.on((_, response) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      });
      const reply = await scenario.chat();
      expect(reply.status).toBe(400);
      expect(reply.json().error).not.toHaveProperty("upstream_code");
      for (const told of [key, key.slice(2), btoa(`:${key}`)]) expect(reply.text).not.toContain(told);
    }
  });
});
