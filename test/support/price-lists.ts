/** Small price lists in the two public forms, with what real ones have in them: every odd field has its like there. */

/** Of LiteLLM's file: its text, for the numbers count as they are written. */
export const litellmText = `{
  "sample_spec": {
    "litellm_provider": "one of https://docs.litellm.ai/docs/providers",
    "input_cost_per_token": 0.0,
    "max_tokens": "LEGACY parameter"
  },
  "gpt-5.6-luna": {
    "litellm_provider": "openai",
    "mode": "chat",
    "cache_creation_input_token_cost": 2.5e-07,
    "cache_creation_input_token_cost_above_272k_tokens": 5e-07,
    "cache_read_input_token_cost": 2e-08,
    "cache_read_input_token_cost_above_272k_tokens": 4e-08,
    "input_cost_per_token": 2e-07,
    "input_cost_per_token_above_272k_tokens": 4e-07,
    "input_cost_per_token_batches": 1e-07,
    "output_cost_per_token_above_272k_tokens_batches": 9e-07,
    "cache_creation_input_token_cost_above_1hr_batches": 1.5e-07,
    "output_cost_per_image_batches": 0.02,
    "input_cost_per_token_flex": 1e-07,
    "output_cost_per_token_flex": 6e-07,
    "input_cost_per_token_above_272k_tokens_flex": 2e-07,
    "cache_creation_input_token_cost_above_1hr": 3e-07,
    "cache_creation_input_token_cost_above_1hr_above_272k_tokens": 6e-07,
    "cache_creation_input_token_cost_above_12hr": 5e-07,
    "output_cost_per_token": 1.2e-06,
    "output_cost_per_token_above_272k_tokens": 1.8e-06,
    "regional_processing_uplift_multiplier_eu": 1.1
  },
  "gpt-5.4-nano": {
    "litellm_provider": "openai",
    "mode": "chat",
    "cache_read_input_token_cost": 2e-08,
    "input_cost_per_token": 2e-07,
    "max_input_tokens": 272000,
    "max_output_tokens": 128000,
    "output_cost_per_token": 1.25e-06,
    "cache_read_input_token_cost_flex": 1e-08,
    "input_cost_per_token_flex": 1e-07,
    "output_cost_per_token_flex": 6.25e-07,
    "supports_function_calling": true,
    "supports_vision": true
  },
  "gpt-5.4-search": { "litellm_provider": "openai", "mode": "responses", "input_cost_per_token": 2e-07, "output_cost_per_token": 1e-06 },
  "azure/gpt-5.6-luna": { "litellm_provider": "azure", "mode": "chat", "input_cost_per_token": 9e-07, "output_cost_per_token": 9e-06 },
  "gemini/gemini-3.5-flash": {
    "litellm_provider": "gemini",
    "mode": "chat",
    "cache_read_input_token_cost": 1.5e-07,
    "input_cost_per_audio_token": 1e-06,
    "input_cost_per_token": 1.5e-06,
    "output_cost_per_reasoning_token": 9e-06,
    "output_cost_per_token": 9e-06,
    "google_maps_grounding_cost_per_query": 0.014,
    "search_context_cost_per_query": { "search_context_size_low": 0.014, "search_context_size_high": 0.014 }
  },
  "zai/glm-5": {
    "litellm_provider": "zai",
    "mode": "chat",
    "cache_creation_input_token_cost": 0,
    "cache_read_input_token_cost": 2e-07,
    "input_cost_per_token": 1e-06,
    "output_cost_per_token": 3.2e-06,
    "search_context_cost_per_query": { "search_context_size_low": 0.01, "search_context_size_high": 0.02 }
  },
  "volcengine/seed-pro": {
    "litellm_provider": "volcengine",
    "mode": "chat",
    "tiered_pricing": [
      { "input_cost_per_token": 4.6e-07, "output_cost_per_token": 2.3e-06, "range": [0, 32000.0] },
      { "input_cost_per_token": 7e-07, "output_cost_per_token": 3.5e-06, "range": [32000.0, 128000.0] }
    ]
  },
  "volcengine/seed-embedding": { "litellm_provider": "volcengine", "mode": "embedding", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0 },
  "minimax/speech-2": { "litellm_provider": "minimax", "mode": "audio_speech", "input_cost_per_character": 0.0001 },
  "minimax/off": { "litellm_provider": "minimax", "mode": "chat", "input_cost_per_token": 1.50003e-06, "output_cost_per_token": 3.9998000000000007e-07 },
  "minimax/picture": { "litellm_provider": "minimax", "mode": "image_generation", "output_cost_per_image": 0.0035 }
}`;

/** Of models.dev's api.json. */
export const modelsDevText = `{
  "openai": {
    "id": "openai",
    "env": ["OPENAI_API_KEY"],
    "npm": "@ai-sdk/openai",
    "name": "OpenAI",
    "doc": "https://platform.openai.com/docs/models",
    "models": {
      "gpt-5.6-luna": {
        "id": "gpt-5.6-luna",
        "name": "GPT-5.6 Luna",
        "attachment": true,
        "reasoning": true,
        "tool_call": true,
        "release_date": "2026-07-09",
        "modalities": { "input": ["text", "image", "pdf"], "output": ["text"] },
        "limit": { "context": 1050000, "input": 922000, "output": 128000 },
        "cost": {
          "input": 0.2,
          "output": 1.2,
          "cache_read": 0.02,
          "cache_write": 0.25,
          "tiers": [{ "input": 0.4, "output": 1.8, "cache_read": 0.04, "cache_write": 0.5, "tier": { "type": "context", "size": 272000 } }],
          "context_over_200k": { "input": 0.4, "output": 1.8, "cache_read": 0.04, "cache_write": 0.5 }
        },
        "experimental": { "modes": { "fast": { "cost": { "input": 0.4, "output": 2.4 }, "provider": { "body": { "service_tier": "priority" } } }, "quick": { "cost": { "input": 1 } }, "pro": {} } }
      }
    }
  },
  "google": {
    "id": "google",
    "models": {
      "gemini-3.5-flash": {
        "name": "Gemini 3.5 Flash",
        "release_date": "2026-05",
        "modalities": { "input": ["text"], "output": ["text"] },
        "limit": { "context": 1048576, "output": 65536 },
        "cost": { "input": 1.5, "output": 9, "reasoning": 9, "cache_read": 0.15, "input_audio": 1, "context_over_200k": { "input": 3, "output": 18 } }
      },
      "gemini-embedding-2": { "name": "", "modalities": { "input": ["text"], "output": ["text"] }, "limit": { "context": 2048, "output": 1 }, "cost": { "input": 0.15, "output": 0 } }
    }
  }
}`;

/** Of genai-prices' data.json: a price of later, one by the time of day, and one with steps. */
export const genaiPricesText = `[
  {
    "id": "openai",
    "models": [
      {
        "id": "gpt-5.6-luna",
        "context_window": 1050000,
        "prices": {
          "input_mtok": { "base": 0.2, "tiers": [{ "start": 272000, "price": 0.4 }] },
          "output_mtok": { "base": 1.2, "tiers": [{ "start": 272000, "price": 1.8 }] },
          "cache_read_mtok": { "base": 0.02, "tiers": [{ "start": 272000, "price": 0.04 }] },
          "cache_write_mtok": { "base": 0.25, "tiers": [{ "start": 272000, "price": 0.5 }] },
          "web_searches_kcount": 10
        }
      }
    ]
  },
  {
    "id": "google",
    "models": [
      {
        "id": "gemini-3.5-flash",
        "name": "Gemini 3.5 Flash",
        "prices": [
          { "prices": { "input_mtok": { "base": 1.5, "tiers": [{ "start": 200000, "price": 3 }] }, "output_mtok": { "base": 9, "tiers": [{ "start": 200000, "price": 18 }] }, "cache_read_mtok": 0.15, "requests_kcount": 3 } },
          { "constraint": { "start_date": "2027-01-01" }, "prices": { "input_mtok": 7, "output_mtok": 70 } }
        ]
      }
    ]
  },
  {
    "id": "minimax",
    "models": [
      {
        "id": "old",
        "prices": [
          { "prices": { "input_mtok": 1, "output_mtok": 2 } },
          { "constraint": { "start_time": "16:30:00Z", "end_time": "00:30:00Z" }, "prices": { "input_mtok": 0.5, "output_mtok": 1 } }
        ]
      }
    ]
  }
]`;
