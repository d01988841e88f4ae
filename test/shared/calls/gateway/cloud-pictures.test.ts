/** Pictures of Bedrock: Stability's form, several pictures, the filter, refusals. */
import { describe, expect, test } from "vitest";
import { useCloud } from "#test/support/cloud-models.ts";

const cloud = useCloud();

describe("pictures", () => {
  const paint = (body: object, path = "/v1/images/generations") =>
    cloud.send(path, { model: "cloud/picture", prompt: "A lion", ...body });
  const drawn = (image: string) => ({ body: { seeds: [1], finish_reasons: [null], images: [image] } });

  test("are asked for one by one, and charged by the piece", async () => {
    cloud.answer = ({ seed }) => ({
      ...drawn(`picture ${String(seed)}`),
      headers: { date: "Sun, 29 Nov 2026 12:00:00 GMT" },
    });
    const reply = await paint({ n: 3, size: "1536x1024", seed: 7, quality: "high", output_format: "jpeg" });
    expect(reply.json()).toMatchObject({
      created: Date.UTC(2026, 10, 29, 12) / 1000,
      data: [{ b64_json: "picture 7" }, { b64_json: "picture 8" }, { b64_json: "picture 9" }],
      usage: { generated_images: 3 },
    });
    expect(reply.headers["x-gateway-dropped"]).toBe("quality");
    const body = { prompt: "A lion", mode: "text-to-image", aspect_ratio: "3:2", output_format: "jpeg" };
    const path = "/model/stability.stable-image-ultra-v1%3A1/invoke";
    // They are under way together, so any of them may arrive first.
    const asked = [7, 8, 9].map((seed) => ({ path, body: { ...body, seed } }));
    expect(new Set(cloud.sent())).toEqual(new Set(asked));
    expect(cloud.scenario.memory.events[0]).toMatchObject({
      usage: { generated_images: 3 },
      cost_points: "0.57",
    });
  });

  test("answer Ark's and Zhipu's routes as well", async () => {
    cloud.answer = () => drawn("x");
    for (const path of ["/api/v3/images/generations", "/api/paas/v4/images/generations"]) {
      const reply = await paint({ size: "auto" }, path);
      expect([reply.status, reply.json().data], path).toEqual([200, [{ b64_json: "x" }]]);
    }
  });

  test("that the filter keeps back are not charged; if it keeps all, the request is refused", async () => {
    cloud.answer = ({ seed }) =>
      seed === 2 ? { body: { finish_reasons: ["Filter reason: output image"] } } : drawn("x");
    expect((await paint({ n: 2, seed: 1 })).json().data).toEqual([{ b64_json: "x" }]);
    const refused = await paint({ n: 1, seed: 2 });
    const said = [refused.status, refused.json().error];
    const logged = JSON.stringify(cloud.scenario.memory.logs);
    expect(said, logged).toMatchObject([400, { code: "content_policy_violation" }]);
    expect(refused.text).toContain("Filter reason");
    const events = cloud.scenario.memory.events.map(({ usage, calls }) => [usage.generated_images, calls]);
    expect(events).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  test("that never come are a failure", async () => {
    cloud.answer = () => ({ body: { finish_reasons: ["Inference error"] } });
    const reply = await paint({});
    expect([reply.status, reply.text.includes('"code":"50001"')]).toEqual([500, true]);
  });

  test.each([
    ["a shape that is not drawn", { size: "1792x1024" }, "21:9"],
    ["more pixels than are drawn", { size: "2048x2048" }, "1,572,864 pixels"],
    ["no size", { size: "large" }, "`size`"],
    ["two shapes", { size: "1024x1024", aspect_ratio: "16:9" }, "`size`"],
    ["an address in place of bytes", { response_format: "url" }, "b64_json"],
    ["a seed below 0", { seed: -1 }, "`seed`"],
    ["a stream", { stream: true }, "`stream`"],
  ])("with %s are refused, and consume nothing", async (_, body, why) => {
    const reply = await paint(body);
    expect([reply.status, reply.json().error]).toMatchObject([400, { code: "40000" }]);
    expect(reply.text).toContain(why);
    expect(cloud.traces()).toEqual([[], [], []]);
  });
});
