import { Stream } from "effect"
import { makeParser } from "effect/encoding/Sse"

/** The longest message, in characters. */
const longest = 64 * 1024 * 1024

/** The connection broke within an answer. */
export interface BrokenOff {
  readonly _tag: "BrokenOff"
  readonly reason: string
}

export const brokenOff = (cause: unknown): BrokenOff => ({
  _tag: "BrokenOff",
  reason: cause instanceof Error ? cause.message : String(cause)
})

/** A message of stdio is one line. Within JSON, a line break is only ever between two tokens. */
const oneLine = (text: string): string => text.trim().replaceAll(/[\r\n]+/g, " ")

const textOf = (body: ReadableStream<Uint8Array>) =>
  Stream.fromReadableStream({ evaluate: () => body, onError: brokenOff }).pipe(Stream.decodeText())

/** The messages of an answer, as they come: one as JSON, or any number as server-sent events. */
export const messagesOf = ({ body, headers }: Response): Stream.Stream<string, BrokenOff> => {
  if (body === null) return Stream.empty
  if (!(headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    return textOf(body).pipe(
      Stream.mkString,
      Stream.fromEffect,
      Stream.map(oneLine),
      Stream.filter((_) => _ !== "")
    )
  }
  const events: Array<string> = []
  const parser = makeParser((_) => void (_._tag === "Event" && _.data !== "" && events.push(_.data)), {
    maxEventSize: longest
  })
  return textOf(body).pipe(
    Stream.flatMap((chunk) => {
      const tooLong = parser.feed(chunk)
      const complete = Stream.fromIterable(events.splice(0).map(oneLine))
      return tooLong === undefined
        ? complete
        : Stream.concat(complete, Stream.fail(brokenOff(new Error("a message of the server is too long"))))
    })
  )
}
