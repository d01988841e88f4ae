/** An error in OpenAI's form. */
export const error = (message: string, type: string, code: string | number | null = null) => ({
  error: { message, type, param: null, code },
});
