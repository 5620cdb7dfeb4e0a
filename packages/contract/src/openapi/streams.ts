import { Predicate } from "effect"
import { mapValues, type Spec, withResponses } from "./tree.ts"

/** What a body is, by the encoding of its stream. */
const descriptions: Readonly<Record<string, string>> = {
  sse: "Server-sent events. `contentSchema` describes one of them; the data of each is JSON.",
  ndjson: "One JSON text a line. `contentSchema` describes one of them."
}

/**
 * Declares the body of a stream as the text that it is. OpenAPI 3.1 cannot say that a schema is each item's, and a
 * validator would compare the whole text with it: the item's schema is that of the text's content.
 */
export const withStreams = (spec: Spec): Spec =>
  withResponses(spec, (_, response) =>
    Predicate.isObject(response["content"])
      ? { ...response, content: mapValues(response["content"], (media, type) => streamed(media, type)) }
      : response
  )

const streamed = (media: unknown, type: string): unknown => {
  const stream = Predicate.isObject(media) ? media["x-effect-stream"] : undefined
  const encoding = Predicate.isObject(stream) ? stream["encoding"] : undefined
  const description = descriptions[String(encoding)]
  if (!Predicate.isObject(media) || description === undefined) return media
  const { schema, ...others } = media
  return { ...others, schema: { type: "string", description, contentMediaType: type, contentSchema: schema } }
}
