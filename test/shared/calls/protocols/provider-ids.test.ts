/**
 * Every member in the request types of the vendors' SDKs that looks like an id is in the table of ids. All others stand
 * here, with the reason why they name nothing of our account. A new SDK with a new kind of id fails this test.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idsIn } from "#shared/calls/protocols/found-ids.ts";
import {
  anthropicIds,
  chatIds,
  geminiIds,
  type IdPlaces,
  isKept,
  mediaIds,
  pictureIds,
  responsesIds,
} from "#shared/calls/protocols/provider-ids.ts";

const root = new URL("../../../../node_modules/", import.meta.url);

/** Members whose names say that they may be ids, in a file of types. */
function idLike(file: string, names: RegExp): string[] {
  const members = readFileSync(new URL(file, root), "utf8").matchAll(/^\s+(?:readonly )?'?(\w+)'?\??:/gm);
  return [...new Set([...members].map(([, name = ""]) => name))].filter((name) => names.test(name)).sort();
}

const snake = /(?:^|_)ids?$|^container$|^conversation$/;
const camel = /(?:Ids?|Uri|[a-z]Store|StoreNames|Stores|Corpus|Corpora|datastore|dataStore|cachedContent)$/;

interface Source {
  file: string;
  names: RegExp;
  places: IdPlaces;
  /** Members that are no ids of the account, each with the reason. */
  others: Record<string, string>;
}

const sources: Record<string, Source> = {
  "OpenAI Responses": {
    file: "openai/resources/responses/responses.d.ts",
    names: snake,
    places: responsesIds,
    others: {
      call_id: "a call within one answer: only its client has it",
      caller_id: "a call within one answer",
      connector_id: "a name that OpenAI gives to everybody; the client brings the authorization",
      stream_id: "a lane of a WebSocket, which the client names",
    },
  },
  "OpenAI chat": {
    file: "openai/resources/chat/completions/completions.d.ts",
    names: snake,
    places: chatIds,
    others: { tool_call_id: "a call within one answer" },
  },
  Anthropic: {
    file: "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts",
    names: snake,
    places: anthropicIds,
    others: {
      document_ids: "files that the client's own browser has staged, in the arguments of a tool",
      download_id: "assigned by the client",
      tab_id: "a tab of the client's browser",
      tool_id: "a call within one answer",
      tool_use_id: "a call within one answer",
      user_id: "the client's name of its user",
      user_profile_id: "a header, which is not sent on",
      workspace_id: "a header, which is not sent on",
    },
  },
  Gemini: {
    file: "@google/genai/dist/genai.d.ts",
    names: camel,
    places: geminiIds,
    others: Object.fromEntries(
      [
        [
          "of tuning, batches, live sessions and files, which have no route here",
          [
            "bigqueryUri",
            "checkpointId",
            "cloudRunUri",
            "defaultCheckpointId",
            "deployedModelId",
            "downloadUri",
            "gcsMetricsUri",
            "inputUri",
            "mediaId",
            "outputGcsUri",
            "outputUri",
            "overrideReplayId",
            "replayId",
            "preTunedModelCheckpointId",
            "promptDatasetUri",
            "sessionId",
            "trainingDatasetUri",
            "validationDatasetUri",
          ],
        ],
        [
          "of an answer",
          [
            "chunkId",
            "flagContentUri",
            "googleMapsUri",
            "photoUri",
            "placeId",
            "referenceId",
            "responseId",
            "reviewId",
            "sourceId",
            "sourceUri",
            "imageUri",
            "continuationIds",
            "tokenId",
            "tokenIds",
            "interactionId",
          ],
        ],
        ["of pictures and videos, which are asked for on other routes", ["gcsUri", "fileId"]],
        [
          "an object, whose members are in the table",
          ["fileSearchStores", "vertexRagStore", "fileSearchStore"],
        ],
      ].flatMap(([why, names]) => (names as string[]).map((name) => [name, why as string])),
    ),
  },
};

describe.each(Object.entries(sources))("%s", (_, { file, names, places, others }) => {
  const found = idLike(file, names);

  test("every id-like member of the SDK is in the table, or has a reason", () => {
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((name) => !(name in places.given) && !(name in others))).toEqual([]);
  });

  test("no reason is for a member that is not there, or is in the table", () => {
    expect(Object.keys(others).filter((name) => !found.includes(name) || name in places.given)).toEqual([]);
  });
});

describe("the ids of a request", () => {
  const all = { responsesIds, chatIds, anthropicIds, geminiIds, pictureIds, mediaIds };

  test("are found at any depth, under any key that holds no words", () => {
    const [ids, words] = [Object.keys(responsesIds.given), [...responsesIds.words]];
    const path = fc.array(fc.constantFrom("a", "content", "tools", 0, 1), { maxLength: 6 });
    fc.assert(
      fc.property(path, fc.constantFrom(...ids), fc.option(fc.constantFrom(...words)), (keys, name, word) => {
        const inner = [...keys, ...(word === null ? [] : [word]), name];
        const value = inner.reduceRight<unknown>(
          (held, key) => (typeof key === "number" ? (key === 0 ? [held] : [null, held]) : { [key]: held }),
          "skill_1",
        );
        const found = idsIn({ top: value }, responsesIds);
        expect(found).toEqual(
          word === null ? [{ path: ["top", ...inner], id: "skill_1", spare: false }] : [],
        );
      }),
    );
  });

  test.each(["message", "additional_tools", "configuration_update"])("%s does without its own", (type) => {
    const found = idsIn({ input: [{ type, id: "at_1" }] }, responsesIds);
    expect(found).toEqual([{ path: ["input", 0, "id"], id: "at_1", spare: true }]);
  });

  test.each(Object.entries(all))("are none in a body of other values: %s", (_, places) => {
    expect(
      idsIn({ model: "m", input: [null, 1, "x", [], {}], file_id: null, container: {} }, places),
    ).toEqual([]);
  });
});

test.each([
  ["https://a.example/b.png", false],
  ["http://a.example/v1/files.pdf", false],
  ["https://storage.googleapis.com/public/a.png", false],
  ["data:image/png;base64,iVBORw0KGgo=", false],
  ["https://generativelanguage.googleapis.com/v1beta/files/abc", true],
  ["https://us-central1-aiplatform.googleapis.com/v1/x", true],
  ["https://proxy.example/v1beta/files/abc", true],
  ["files/abc", true],
  ["gs://house/a", true],
  ["asset://asset-1", true],
  ["https://", true],
])("%s is kept for our account: %s", (address, kept) => {
  expect(isKept(address)).toBe(kept);
});
