/** Whether a value is an object with fields, as in JSON: neither null nor a list. For code that does without effect. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
