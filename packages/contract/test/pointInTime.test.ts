import { assert, describe, it } from "@effect/vitest"
import { PointInTime } from "@portico/contract/PointInTime"
import { Effect, Schema } from "effect"

const good = [
  "2026-01-31T12:00:00Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T12:00:00+05:30",
  "2026-01-31T12:00:00-00:00",
  "2026-01-31T12:00:00.1Z",
  "2026-01-31T12:00:00.123456789+01:00",
  "2028-02-29T23:59:59Z"
]

const bad = [
  "2026-01-31T12:00:00",
  "2026-01-31 12:00:00Z",
  "2026-01-31",
  "2026-01-31T12:00Z",
  "2026-01-31T12:00:00+0100",
  "2026-01-31T12:00:00 Europe/Berlin",
  "2026-02-30T12:00:00Z",
  "2026-02-29T12:00:00Z",
  "2026-13-01T12:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T12:60:00Z",
  "2026-01-31T12:00:00+24:00",
  "2026-01-31T12:00:00.1234567890Z",
  "latest",
  "0",
  "",
  1_769_860_800_000,
  null
]

describe("a point in time", () => {
  for (const text of good) {
    it.effect(`can be ${text}`, () => Effect.asVoid(Schema.decodeUnknownEffect(PointInTime)(text)))
  }
  for (const text of bad) {
    it.effect(`cannot be ${JSON.stringify(text)}`, () =>
      Effect.gen(function* () {
        const refusal = yield* Effect.flip(Schema.decodeUnknownEffect(PointInTime)(text))
        if (typeof text === "string") assert.include(String(refusal), "a moment of RFC 3339 with its zone")
      })
    )
  }
})
