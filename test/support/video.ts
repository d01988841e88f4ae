/** Two video models over a provider of their own, and what it says of a task in each of its states. */

/** The catalog with `test/video-1`, and `test/video-2` that needs AVG_V2; 0.045, 0.09 and 0.18 points a second. */
export function withVideo(catalog: unknown, url: string): unknown {
  const { providers, models, ...rest } = catalog as { providers: object; models: object[] };
  const ark = { protocols: { ark: `${url}/ark` }, auth: "bearer", secret: "TEST_API_KEY" };
  return {
    ...rest,
    providers: { ...providers, ark },
    models: [
      ...models,
      video("test/video-1", null, { frames: true, draft: true }),
      video("test/video-2", "AVG_V2", { max_seconds: 15, resolutions: ["480p", "720p"], audio: false }),
    ],
  };
}

function video(id: string, permission: string | null, options: object): object {
  return {
    id,
    display_name: id,
    created: 1_760_000_000,
    owned_by: "test",
    capabilities: ["video"],
    context_tokens: 0,
    output_tokens: 0,
    price: { mode: "per_second", by_resolution: { "480p": "0.05", "720p": "0.1", "1080p": "0.2" } },
    discount_rate: "0.9",
    permission,
    video: {
      resolutions: ["480p", "720p", "1080p"],
      default_resolution: "720p",
      max_seconds: 12,
      frames: false,
      draft: false,
      audio: true,
      ...options,
    },
    channels: [{ provider: "ark", model: "upstream-video" }],
  };
}
