/** Every kind of id that a request can have, in every protocol (shared/calls/protocols/provider-ids.md). */

export const responses = "/v1/responses";
export const chat = "/v1/chat/completions";
export const messages = "/v1/messages";
export const generate = "/v1beta/models/test/model-1:generateContent";
export const model = "test/model-1";

/** A request with an id of one kind: its path, its body, and the field that an error names. */
type Kind = [name: string, path: string, field: string, body: (id: string) => object];

const input = (item: object) => ({ model, input: [{ role: "user", content: "Hi" }, item] });
const part = (content: object) => ({ model, input: [{ role: "user", content: [content] }] });
const tool = (tool: object) => ({ model, input: "Hi", tools: [tool] });
export const said = (...content: object[]) => ({ model, messages: [{ role: "user", content }] });
export const asked = (...content: object[]) => ({ ...said(...content), max_tokens: 9 });
export const contents = (part: object) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }, part] }] });
const call_id = "call_1";

export const kinds: Kind[] = [
  [
    "an earlier answer",
    responses,
    "previous_response_id",
    (id) => ({ model, input: "Hi", previous_response_id: id }),
  ],
  ["a prompt", responses, "prompt.id", (id) => ({ model, input: "Hi", prompt: { id, version: "2" } })],
  ["an item", responses, "input[1].id", (id) => input({ type: "item_reference", id })],
  ["an item without a type", responses, "input[1].id", (id) => input({ id })],
  ["stored reasoning", responses, "input[1].id", (id) => input({ type: "reasoning", id, summary: [] })],
  ["a picture that was made", responses, "input[1].id", (id) => input({ type: "image_generation_call", id })],
  ["a search", responses, "input[1].id", (id) => input({ type: "web_search_call", id, status: "completed" })],
  [
    "an approval",
    responses,
    "input[1].approval_request_id",
    (id) => input({ type: "mcp_approval_response", approval_request_id: id, approve: true }),
  ],
  [
    "a check that is acknowledged",
    responses,
    "input[1].acknowledged_safety_checks[0].id",
    (id) =>
      input({ type: "computer_call_output", call_id, output: {}, acknowledged_safety_checks: [{ id }] }),
  ],
  ["a file", responses, "input[0].content[0].file_id", (id) => part({ type: "input_file", file_id: id })],
  ["a picture", responses, "input[0].content[0].file_id", (id) => part({ type: "input_image", file_id: id })],
  [
    "a file in a result",
    responses,
    "input[1].output[0].file_id",
    (id) => input({ type: "function_call_output", call_id, output: [{ type: "input_image", file_id: id }] }),
  ],
  [
    "stores",
    responses,
    "tools[0].vector_store_ids[0]",
    (id) => tool({ type: "file_search", vector_store_ids: [id] }),
  ],
  ["a container", responses, "tools[0].container", (id) => tool({ type: "code_interpreter", container: id })],
  [
    "files of a container",
    responses,
    "tools[0].container.file_ids[0]",
    (id) => tool({ type: "code_interpreter", container: { type: "auto", file_ids: [id] } }),
  ],
  [
    "a shell's container",
    responses,
    "tools[0].environment.container_id",
    (id) => tool({ type: "shell", environment: { type: "container_reference", container_id: id } }),
  ],
  [
    "a skill",
    responses,
    "tools[0].environment.skills[0].skill_id",
    (id) =>
      tool({
        type: "shell",
        environment: { skills: [{ type: "skill_reference", skill_id: `skill_${id}` }] },
      }),
  ],
  [
    "a mask",
    responses,
    "tools[0].input_image_mask.file_id",
    (id) => tool({ type: "image_generation", input_image_mask: { file_id: id } }),
  ],
  [
    "a tunnel",
    responses,
    "tools[0].tunnel_id",
    (id) => tool({ type: "mcp", server_label: "s", tunnel_id: id }),
  ],
  [
    "an answer to compare with",
    responses,
    "prompt_cache_options.comparison_response_id",
    (id) => ({ model, input: "Hi", prompt_cache_options: { comparison_response_id: id } }),
  ],
  [
    "a file in a chat",
    chat,
    "messages[0].content[0].file.file_id",
    (id) => said({ type: "file", file: { file_id: id } }),
  ],
  [
    "a sound",
    chat,
    "messages[0].audio.id",
    (id) => ({
      model,
      messages: [
        { role: "assistant", audio: { id } },
        { role: "user", content: "Hi" },
      ],
    }),
  ],
  [
    "knowledge",
    chat,
    "tools[0].retrieval.knowledge_id",
    (id) => ({
      ...said(),
      messages: [{ role: "user", content: "Hi" }],
      tools: [{ type: "retrieval", retrieval: { knowledge_id: id } }],
    }),
  ],
  [
    "a document",
    messages,
    "messages[0].content[0].source.file_id",
    (id) => asked({ type: "document", source: { type: "file", file_id: id } }),
  ],
  [
    "an upload",
    messages,
    "messages[0].content[0].file_id",
    (id) => asked({ type: "container_upload", file_id: id }),
  ],
  [
    "Anthropic's container",
    messages,
    "container",
    (id) => ({ ...asked({ type: "text", text: "Hi" }), container: id }),
  ],
  [
    "Anthropic's container with skills",
    messages,
    "container.id",
    (id) => ({ ...asked({ type: "text", text: "Hi" }), container: { id, skills: [] } }),
  ],
  [
    "an earlier message",
    messages,
    "diagnostics.previous_message_id",
    (id) => ({ ...asked({ type: "text", text: "Hi" }), diagnostics: { previous_message_id: id } }),
  ],
  ["a cache", generate, "cachedContent", (id) => ({ ...contents({ text: "?" }), cachedContent: id })],
  [
    "a cache, in snake case",
    generate,
    "cached_content",
    (id) => ({ ...contents({ text: "?" }), cached_content: id }),
  ],
  [
    "a file of Google",
    generate,
    "contents[0].parts[1].fileData.fileUri",
    (id) =>
      contents({ fileData: { fileUri: `https://generativelanguage.googleapis.com/v1beta/files/${id}` } }),
  ],
  [
    "an object of Google's storage",
    generate,
    "contents[0].parts[1].file_data.file_uri",
    (id) => contents({ file_data: { file_uri: `gs://house/${id}` } }),
  ],
  [
    "stores of Google",
    generate,
    "tools[0].fileSearch.fileSearchStoreNames[0]",
    (id) => ({ ...contents({ text: "?" }), tools: [{ fileSearch: { fileSearchStoreNames: [id] } }] }),
  ],
  [
    "a picture to edit",
    "/v1/images/edits",
    "images[0].file_id",
    (id) => ({ model: "test/image-1", prompt: "A", images: [{ file_id: id }] }),
  ],
];
