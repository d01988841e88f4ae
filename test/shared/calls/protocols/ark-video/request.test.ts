/** What a video may be asked for (contract §4.8): every field in every form, against three models of the catalog. */
import { describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { addressedTo } from "#shared/calls/protocols/ark-video/addressed.ts";
import { readRequest, withDefaults } from "#shared/calls/protocols/ark-video/request.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { randomOf } from "#test/support/turns.ts";

const models = createCatalog(parseCatalog(catalogFile) as Catalog);
const text = { type: "text", text: "A cat in the rain." };
const image = (role?: unknown) => ({
  type: "image_url",
  image_url: { url: "https://x.example/a.png" },
  ...(role === undefined ? {} : { role }),
});
const clip = (role?: unknown) => ({
  type: "video_url",
  video_url: { url: "https://x.example/a.mp4" },
  ...(role === undefined ? {} : { role }),
});
const sound = { type: "audio_url", audio_url: { url: "https://x.example/a.mp3" }, role: "reference_audio" };

const names = {
  /** 1.5 Pro: 12 s, drafts, sound, no frames. */
  pro: "volcengine/doubao-seedance-1.5-pro",
  /** 1.0 Pro: 12 s, frames, neither drafts nor sound. */
  old: "volcengine/doubao-seedance-1.0-pro",
  /** 2.0 Fast: 15 s, sound, no 1080p. */
  fast: "byteplus/advanced-video-generation-2.0-fast",
} as const;
type Name = keyof typeof names;

function read(model: Name, fields: object) {
  const found = models.find(names[model]);
  if (!found) throw new Error(`no model ${names[model]}`);
  return readRequest({ content: [text], ...fields }, found);
}

const accepted: [what: string, model: Name, fields: object, made: object][] = [
  [
    "nothing but content",
    "pro",
    {},
    {
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      frames: null,
      audio: true,
      draft: null,
      seconds: 5,
      user: null,
    },
  ],
  ["a model without sound", "old", {}, { resolution: "1080p", duration: 5, audio: null, seconds: 5 }],
  [
    "every field as null",
    "pro",
    {
      resolution: null,
      ratio: null,
      duration: null,
      frames: null,
      generate_audio: null,
      draft: null,
      callback_url: null,
      seed: null,
      safety_identifier: null,
    },
    { resolution: "720p", ratio: "16:9", duration: 5, frames: null, audio: true, draft: null },
  ],
  [
    "nulls where a model has none of it",
    "old",
    { generate_audio: null, draft: null, frames: null },
    { audio: null, draft: null, duration: 5 },
  ],
  ["480p", "pro", { resolution: "480p" }, { resolution: "480p" }],
  ["1080p", "pro", { resolution: "1080p" }, { resolution: "1080p" }],
  ...["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"].map((ratio): [string, Name, object, object] => [
    `ratio ${ratio}`,
    "pro",
    { ratio },
    { ratio },
  ]),
  ["the shortest", "pro", { duration: 1 }, { duration: 1, seconds: 1 }],
  ["the longest of 12", "pro", { duration: 12 }, { duration: 12, seconds: 12 }],
  ["the longest of 15", "fast", { duration: 15 }, { duration: 15, seconds: 15 }],
  ["-1 where 12 is the most", "pro", { duration: -1 }, { duration: 12, seconds: 12 }],
  ["-1 where 15 is the most", "fast", { duration: -1 }, { duration: 15, seconds: 15 }],
  ["frames", "old", { frames: 121 }, { duration: null, frames: 121, seconds: 6 }],
  ["frames of whole seconds", "old", { frames: 48 }, { frames: 48, seconds: 2 }],
  ["the most frames", "old", { frames: 289 }, { seconds: 13 }],
  ["frames beside a null duration", "old", { frames: 48, duration: null }, { duration: null, frames: 48 }],
  ["a draft, in the resolution of drafts", "pro", { draft: true }, { draft: true, resolution: "480p" }],
  [
    "a draft in another resolution, for the provider to judge",
    "pro",
    { draft: true, resolution: "720p" },
    { resolution: "720p" },
  ],
  ["no draft", "old", { draft: false }, { draft: false, resolution: "1080p" }],
  ["no sound", "pro", { generate_audio: false }, { audio: false }],
  ["no sound where there is none", "old", { generate_audio: false }, { audio: false }],
  ["an end user", "pro", { safety_identifier: "u-1" }, { user: "u-1" }],
  ["a picture to start at", "pro", { content: [text, image()] }, {}],
  ["a picture alone", "pro", { content: [image("first_frame")] }, {}],
  ["a null role", "pro", { content: [{ ...image(), role: null }] }, {}],
  ["both frames", "pro", { content: [text, image("first_frame"), image("last_frame")] }, {}],
  [
    "references",
    "fast",
    { content: [text, image("reference_image"), image("reference_image"), clip("reference_video"), sound] },
    {},
  ],
  ["a clip without a role", "fast", { content: [text, clip()] }, {}],
];

const refused: [what: string, model: Name, fields: object, param: string][] = [
  ["no content", "pro", { content: undefined }, "content"],
  ["null content", "pro", { content: null }, "content"],
  ["empty content", "pro", { content: [] }, "content"],
  ["content that is text", "pro", { content: "A cat." }, "content"],
  ["an item that is text", "pro", { content: ["A cat."] }, "content[0]"],
  ["a null item", "pro", { content: [null] }, "content[0]"],
  ["an item without a type", "pro", { content: [{ text: "A cat." }] }, "content[0].type"],
  ["an unknown type", "pro", { content: [text, { type: "smell" }] }, "content[1].type"],
  ["an inherited name as type", "pro", { content: [{ type: "constructor" }] }, "content[0].type"],
  [
    "another's task",
    "pro",
    { content: [{ type: "draft_task", draft_task: { id: "cgt-1" } }] },
    "content[0].type",
  ],
  ["a text without text", "pro", { content: [{ type: "text" }] }, "content[0].text"],
  ["an empty text", "pro", { content: [{ type: "text", text: "" }] }, "content[0].text"],
  ["a text that is a number", "pro", { content: [{ type: "text", text: 1 }] }, "content[0].text"],
  ["a picture without an address", "pro", { content: [{ type: "image_url" }] }, "content[0].image_url"],
  [
    "an address that is text",
    "pro",
    { content: [{ type: "image_url", image_url: "https://x" }] },
    "content[0].image_url",
  ],
  [
    "an empty address",
    "pro",
    { content: [{ type: "video_url", video_url: { url: "" } }] },
    "content[0].video_url",
  ],
  ["an unknown role", "pro", { content: [image("middle_frame")] }, "content[0].role"],
  ["a role of another type", "pro", { content: [image("reference_video")] }, "content[0].role"],
  ["a role that is a number", "pro", { content: [clip(1)] }, "content[0].role"],
  ["two first frames", "pro", { content: [image(), image("first_frame")] }, "content"],
  ["two last frames", "pro", { content: [image(), image("last_frame"), image("last_frame")] }, "content"],
  ["a last frame alone", "pro", { content: [text, image("last_frame")] }, "content"],
  ["frames and references", "fast", { content: [image("first_frame"), image("reference_image")] }, "content"],
  ["sound alone", "fast", { content: [sound] }, "content"],
  ["an unknown resolution", "pro", { resolution: "4k" }, "resolution"],
  ["a resolution of other models", "fast", { resolution: "1080p" }, "resolution"],
  ["a resolution that is a number", "pro", { resolution: 720 }, "resolution"],
  ["an unknown ratio", "pro", { ratio: "2:1" }, "ratio"],
  ["a ratio that is a number", "pro", { ratio: 1 }, "ratio"],
  ["no seconds", "pro", { duration: 0 }, "duration"],
  ["negative seconds", "pro", { duration: -2 }, "duration"],
  ["half seconds", "pro", { duration: 5.5 }, "duration"],
  ["seconds as text", "pro", { duration: "5" }, "duration"],
  ["more than the model makes", "pro", { duration: 13 }, "duration"],
  ["more than anyone makes", "fast", { duration: 16 }, "duration"],
  ["frames where there are none", "pro", { frames: 121 }, "frames"],
  ["frames and seconds", "old", { frames: 121, duration: 5 }, "frames"],
  ["too few frames", "old", { frames: 28 }, "frames"],
  ["too many frames", "old", { frames: 290 }, "frames"],
  ["no frames", "old", { frames: 0 }, "frames"],
  ["frames as text", "old", { frames: "121" }, "frames"],
  ["half frames", "old", { frames: 48.5 }, "frames"],
  ["a draft where there is none", "old", { draft: true }, "draft"],
  ["a draft as text", "pro", { draft: "true" }, "draft"],
  ["sound where there is none", "old", { generate_audio: true }, "generate_audio"],
  ["sound as a number", "pro", { generate_audio: 1 }, "generate_audio"],
  ["an address to call back", "pro", { callback_url: "https://x.example" }, "callback_url"],
  ["an end user that is no text", "pro", { safety_identifier: "\ud800" }, "safety_identifier"],
  ["a long end user", "pro", { safety_identifier: "u".repeat(257) }, "safety_identifier"],
];

describe("a video", () => {
  test.each(accepted)("can be asked for with %s", (_, model, fields, made) => {
    expect(read(model, fields)).toMatchObject(made);
  });

  test.each(refused)("cannot be asked for with %s", (_, model, fields, param) => {
    let error: unknown;
    try {
      read(model, fields);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ key: "invalid_request", detail: { param } });
  });
});

test("nothing a client can send is a fault of ours", () => {
  const random = randomOf(7);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
  const junk = [
    null,
    true,
    0,
    -1,
    5,
    1e300,
    5.5,
    "",
    "5",
    "720p",
    "1:1",
    "\u0000",
    [],
    [null],
    {},
    { url: 1 },
  ];
  const parts = ["type", "text", "image_url", "video_url", "audio_url", "role", "constructor", "__proto__"];
  const item = () => Object.fromEntries(parts.map((part) => [part, pick([...parts, ...junk, { url: "u" }])]));
  const fields = [
    "resolution",
    "ratio",
    "duration",
    "frames",
    "generate_audio",
    "draft",
    "safety_identifier",
  ];
  let passed = 0;
  for (let run = 0; run < 20_000; run++) {
    const content = pick([[text], [text], [text, item()], [item(), item()], pick(junk)]);
    const given = fields.filter(() => random() < 0.3).map((field) => [field, pick(junk)]);
    try {
      read(pick(["pro", "old", "fast"] as const) ?? "pro", { content, ...Object.fromEntries(given) });
      passed += 1;
    } catch (error) {
      expect(error, JSON.stringify([content, given])).toMatchObject({ key: "invalid_request" });
    }
  }
  expect(passed).toBeGreaterThan(500);
});

describe("the bytes that are sent", () => {
  const send = (model: Name, fields: object) => {
    const body = readJsonObject(
      Buffer.from(JSON.stringify({ model: names[model], content: [text], ...fields })),
    );
    const found = models.find(names[model]);
    if (!found) throw new Error("no model");
    return JSON.parse(addressedTo(withDefaults(body, readRequest(body.value, found)), "m").toString());
  };

  test("say every default, and -1 as the seconds it stands for", () => {
    expect(send("pro", { duration: -1, ratio: null })).toEqual({
      model: "m",
      content: [text],
      resolution: "720p",
      ratio: "16:9",
      duration: 12,
      generate_audio: true,
    });
  });

  test("say nothing of sound or seconds where there are none", () => {
    expect(send("old", { frames: 121, watermark: false, seed: 1 })).toEqual({
      model: "m",
      content: [text],
      resolution: "1080p",
      ratio: "16:9",
      frames: 121,
      watermark: false,
      seed: 1,
    });
  });

  test("keep what they do not know as it came", () => {
    const bytes = Buffer.from('{"model":"x", "seed": 12345678901234567890, "tools":[ {"a" : 1.0} ]}');
    expect(addressedTo(bytes, "m").toString()).toBe(
      '{"model":"m", "seed": 12345678901234567890, "tools":[ {"a" : 1.0} ]}',
    );
  });
});
