import generated from "../../generated/advice.json" with { type: "json" }

/** What to do about each failure. */
export const advice: Readonly<Record<string, string>> = generated
