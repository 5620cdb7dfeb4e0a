import { Schema } from "effect"

/** The value of a JSON text; none when the text is not JSON. */
export const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
