/** Image edits: forms and JSON, to providers that take them as OpenAI does and as Ark does. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FormPart, readForm, writeForm } from "#shared/base/http/form.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const paths = ["/api/v1/images/edits", "/api/v3/images/edits"];
const png = Buffer.from("89504e470d0a1a0a0d0a2d2d626f756e0d0a0d0aff00", "hex");
const other = Buffer.from("GIF89a--bound\r\n--boun\r\n\r\n");
const made = (count: number) => ({
  created: 1,
  data: Array.from({ length: count }, (_, at) => ({ url: `https://x.example/${at}.png` })),
});

type Part = [head: string, content: string | Buffer];
const text = (name: string, content: string): Part => [`name="${name}"`, content];
const file = (name: string, content: Buffer = png, type = "image/png"): Part => [
  `name="${name}"; filename="a.png"\r\nContent-Type: ${type}`,
  content,
];
const model = text("model", "test/image-1");
const promptText = "A hat,\na “red” one";
const prompt = text("prompt", promptText);

/** The bytes of a form, written out by hand as RFC 7578 has it. */
const bytesOf = (parts: Part[]) =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--bound\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from("\r\n"),
    ]),
    Buffer.from("--bound--\r\n"),
  ]);
const sendBytes = (path: string, body: Buffer, type = "multipart/form-data; boundary=bound") =>
  call(scenario.serve, path, { headers: { ...scenario.bearer(), "content-type": type }, body });
const send = (path: string, ...parts: Part[]) => sendBytes(path, bytesOf(parts));
const sendJson = (path: string, body: object | string) =>
  call(scenario.serve, path, {
    headers: { ...scenario.bearer(), "content-type": "application/json" },
    body,
  });

/** What the provider received, read by the platform's own reader. */
async function received(): Promise<[name: string, content: string][]> {
  const { body, headers } = scenario.upstream.requests[0] ?? { body: Buffer.alloc(0), headers: {} };
  const type = String(headers["content-type"]);
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const parts = [...form].map(
    async ([name, value]): Promise<[string, string]> => [
      name,
      typeof value === "string"
        ? value
        : `${value.type} ${Buffer.from(await value.arrayBuffer()).toString("hex")}`,
    ],
  );
  return Promise.all(parts);
}

describe.each(paths)("%s", (path) => {
  test.each([
    ["one file", [file("image")], ["image"]],
    ["two files", [file("image[]"), file("image[]", other, "image/gif")], ["image[]", "image[]"]],
    ["files by number", [file("image[0]"), file("image[1]", other)], ["image[]", "image[]"]],
    ["a name repeated", [file("image"), file("image", other)], ["image[]", "image[]"]],
    ["a mask", [file("image"), file("mask", other)], ["image", "mask"]],
  ] as [string, Part[], string[]][])(
    "a form with %s goes on with its model changed",
    async (_, files, names) => {
      scenario.upstream.json(made(1));
      expect((await send(path, model, ...files, prompt, text("size", "1024x1024"))).status).toBe(200);
      expect(scenario.upstream.requests[0]?.path).toBe("/v1/images/edits");
      expect(await received()).toEqual([
        ["model", "upstream-image"],
        ...files.map(([head, content], at) => [
          names[at],
          `${head.split("Content-Type: ")[1]} ${Buffer.from(content as string).toString("hex")}`,
        ]),
        ["prompt", promptText],
        ["size", "1024x1024"],
      ]);
    },
  );

  test("is held for what was asked and charged for what was made", async () => {
    scenario.upstream.json(made(2));
    const reply = await send(path, model, prompt, file("image"), text("n", "4"), text("user", "u"));
    const counted = path.startsWith("/api/v3") ? { usage: { generated_images: 2 } } : {};
    expect(reply.json()).toEqual({ ...made(2), ...counted });
    expect(scenario.memory.holds[0]?.points).toBe(4n * 190_000_000_000_000_000n);
    expect(scenario.memory.events[0]).toMatchObject({
      kind: "image",
      cost_points: "0.38",
      user: "u",
      usage: { generated_images: 2 },
    });
  });

  test("JSON reaches OpenAI with its pictures under OpenAI's names", async () => {
    scenario.upstream.json(made(1));
    const [one, two] = ["https://x.example/a.png", "data:image/png;base64,iVBORw0KGgo="];
    await sendJson(
      path,
      `{"n":1.0,"image":["${one}","${two}"], "model":"test/image-1","mask":"${two}","prompt":"A"}`,
    );
    expect(scenario.upstream.requests[0]?.body.toString()).toBe(
      `{"n":1.0,"images":[{"image_url":"${one}"},{"image_url":"${two}"}], "model":"upstream-image","mask":{"image_url":"${two}"},"prompt":"A"}`,
    );
  });

  test("JSON in OpenAI's own form goes on as it came", async () => {
    scenario.upstream.json(made(1));
    const body = (name: string) =>
      `{"model":"${name}","images":[{"image_url":"https://x.example/a.png"}],"prompt":"A","image":null}`;
    await sendJson(path, body("test/image-1"));
    expect(scenario.upstream.requests[0]?.body.toString()).toBe(body("upstream-image"));
  });

  test.each([
    ["no model", [prompt, file("image")], "`model`"],
    ["two models", [model, model, prompt, file("image")], "`model` is given twice"],
    ["no prompt", [model, file("image")], "`prompt`"],
    ["two prompts", [model, prompt, prompt, file("image")], "`prompt` is given twice"],
    ["no image", [model, prompt], "`image`"],
    ["an empty image", [model, prompt, file("image", Buffer.alloc(0))], "`image`"],
    ["an image that is text", [model, prompt, text("image", "https://x.example/1.png")], "`image`"],
    ["one file and one text", [model, prompt, file("image[]"), text("image[]", "x")], "`image`"],
    ["a mask that is text", [model, prompt, file("image"), text("mask", "x")], "`mask`"],
    ["two masks", [model, prompt, file("image"), file("mask"), file("mask")], "`mask` is given twice"],
    ["a model that is a file", [file("model"), prompt, file("image")], "`model`"],
    ["n 0", [model, prompt, file("image"), text("n", "0")], "`n`"],
    ["n 16", [model, prompt, file("image"), text("n", "16")], "`n`"],
    ["n that is no number", [model, prompt, file("image"), text("n", "two")], "`n`"],
    ["n 1e1", [model, prompt, file("image"), text("n", "1e1")], "`n`"],
    ["n twice", [model, prompt, file("image"), text("n", "1"), text("n", "9")], "`n` is given twice"],
    ["a stream", [model, prompt, file("image"), text("stream", "true")], "`stream`"],
    ["a long user", [model, prompt, file("image"), text("user", "x".repeat(257))], "`user`"],
    ["a model that cannot", [text("model", "test/model-1"), prompt, file("image")], "image_edits"],
    ["a text that is no UTF-8", [model, ['name="prompt"', Buffer.from([0xff])], file("image")], "UTF-8"],
    ["101 parts", Array.from({ length: 101 }, () => file("image[]")), "over 100 parts"],
    ["a part without a name", [model, ['filename="a.png"', png]], "without a name"],
    ["a long head", [model, text("x".repeat(9000), "")], "proper head"],
  ] as [string, Part[], string][])("a form with %s is refused", async (_, parts, why) => {
    await expectRefused(await send(path, ...parts), why);
  });

  const whole = bytesOf([model, prompt, file("image")]);
  test.each([
    ["no boundary", whole, "multipart/form-data"],
    ["another boundary", whole, "multipart/form-data; boundary=bounds"],
    ["nothing", Buffer.alloc(0), undefined],
    ["no end", whole.subarray(0, -4), undefined],
    [
      "a delimiter that goes on",
      Buffer.from(whole.toString("latin1").replace("--bound\r\n", "--boundary\r\n")),
      undefined,
    ],
    ["JSON", Buffer.from('{"model":"test/image-1"}'), undefined],
  ] as [string, Buffer, string | undefined][])("a form with %s is malformed", async (_, bytes, type) => {
    await expectRefused(await sendBytes(path, bytes, type), "The multipart form");
  });

  const edit = { model: "test/image-1", prompt: "A", image: "https://x.example/1.png" };
  test.each([
    [{ ...edit, image: undefined }, "`image`"],
    [{ ...edit, image: "" }, "`image`"],
    [{ ...edit, image: [] }, "`image`"],
    [{ ...edit, image: [1] }, "`image`"],
    [{ ...edit, images: [{}] }, "`images`"],
    [{ ...edit, image: null, images: ["x"] }, "`images`"],
    [{ ...edit, n: "2" }, "`n`"],
    [{ ...edit, prompt: "" }, "`prompt`"],
    ['{"model":"test/image-1","prompt":"A","image":"a","mask":"b","mask":"c"}', "`mask` is given twice"],
    ["model=x", "not valid JSON"],
  ])("JSON %j is refused", async (body, why) => {
    await expectRefused(await sendJson(path, body), why);
  });

  test("a quoted boundary, a preamble, an epilogue and a name in quotes are read", async () => {
    scenario.upstream.json(made(1));
    const parts = bytesOf([model, prompt, ['name=image; filename="a \\"b\\"; name=\\"n\\".png"', png]]);
    const body = Buffer.concat([Buffer.from("preamble\r\n"), parts, Buffer.from("epilogue")]);
    expect((await sendBytes(path, body, 'Multipart/Form-Data; charset=utf-8; Boundary="bound"')).status).toBe(
      200,
    );
    expect((await received())[2]).toEqual(["image", `application/octet-stream ${png.toString("hex")}`]);
  });
});

async function expectRefused(reply: Awaited<ReturnType<typeof call>>, why: string): Promise<void> {
  expect([reply.status, scenario.memory.holds.length, scenario.upstream.requests.length]).toEqual([
    400, 0, 0,
  ]);
  expect((reply.json().error as { message: string }).message).toContain(why);
}

describe.each(paths)("%s at a provider that speaks Ark", (path) => {
  /** Ark's own provider speaks OpenAI chat at the same address, which has no edits. */
  const toArk = () => {
    const catalog = testCatalog(scenario.upstream.url) as { providers: { test: { protocols: object } } };
    const url = `${scenario.upstream.url}/api/v3`;
    catalog.providers.test.protocols = { openai: url, ark: url };
    scenario.memory = createMemory(catalog);
    scenario.key = scenario.memory.addKey();
    scenario.serve = createPipeline({} as never, scenario.memory.deps);
    scenario.upstream.json({ ...made(1), usage: { generated_images: 1 } });
  };
  const upstreamBody = () => JSON.parse(scenario.upstream.requests[0]?.body.toString() ?? "null") as object;

  test("a form becomes a generation from data URLs", async () => {
    toArk();
    const octets = file("image[]", other, "application/octet-stream");
    const parts = [text("size", "auto"), text("n", "3"), text("watermark", "false"), text("quality", "high")];
    const reply = await send(path, model, prompt, file("image[]"), octets, ...parts);
    expect(reply.headers["x-gateway-dropped"]).toBe("quality");
    expect(scenario.upstream.requests[0]).toMatchObject({
      path: "/api/v3/images/generations",
      headers: { "content-type": "application/json" },
    });
    expect(upstreamBody()).toEqual({
      model: "upstream-image",
      prompt: promptText,
      watermark: false,
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 3 },
      image: [
        `data:image/png;base64,${png.toString("base64")}`,
        `data:image/gif;base64,${other.toString("base64")}`,
      ],
    });
    expect(scenario.memory.holds[0]?.points).toBe(3n * 190_000_000_000_000_000n);
  });

  test("JSON becomes one from the addresses it gives", async () => {
    toArk();
    const image = "https://x.example/1.png";
    const body = {
      model: "test/image-1",
      prompt: "A",
      images: [{ image_url: image }],
      n: 1,
      seed: 7,
      user: "u",
    };
    expect((await sendJson(path, body)).headers["x-gateway-dropped"]).toBe("user");
    expect(upstreamBody()).toEqual({ model: "upstream-image", prompt: "A", seed: 7, image });
  });

  test("base64 alone becomes a data URL", async () => {
    toArk();
    await sendJson(path, { model: "test/image-1", prompt: "A", image: png.toString("base64") });
    expect(upstreamBody()).toMatchObject({ image: `data:image/png;base64,${png.toString("base64")}` });
  });

  test.each([
    ["a mask in a form", () => send(path, model, prompt, file("image"), file("mask")), "`mask`"],
    ["a mask", () => sendJson(path, { model: "test/image-1", prompt: "A", image: "x", mask: "y" }), "`mask`"],
    [
      "a file's id",
      () => sendJson(path, { model: "test/image-1", prompt: "A", images: [{ file_id: "f" }] }),
      "`images",
    ],
  ])("%s is refused, and costs nothing", async (what, ask, why) => {
    toArk();
    const reply = await ask();
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(why);
    expect(scenario.upstream.requests).toEqual([]);
    // On the route of Ark's own form a mask is found when the request is sent, and all else before.
    const events = scenario.memory.events.map(({ cost_points, calls }) => [cost_points, calls]);
    expect(events).toEqual(path.startsWith("/api/v3") && what !== "a file's id" ? [["0", 0]] : []);
  });
});

test("a form that was written is read as the same parts", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((key) => !/["\\\r\n]/.test(key));
  const content = fc.uint8Array().map((bytes) => Buffer.from(bytes));
  const part: fc.Arbitrary<FormPart> = fc.oneof(
    fc.record({ key: name, content: fc.string({ unit: "grapheme" }).map((value) => Buffer.from(value)) }),
    fc.record({ key: name, content, file: fc.record({ name, type: fc.constant("image/png") }) }),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const { body, content_type } = writeForm(parts);
      expect(readForm(Buffer.concat(body), content_type).parts).toEqual(parts);
    }),
    { seed: 20_261_121, numRuns: 300 },
  );
});
