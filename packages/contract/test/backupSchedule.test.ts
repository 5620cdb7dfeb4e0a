import { assert, describe, it } from "@effect/vitest"
import { BackupSchedule, RetentionDays } from "@portico/contract/BackupSchedule"
import { Effect, Schema } from "effect"

const refusal = (text: unknown) =>
  Effect.map(Effect.flip(Schema.decodeUnknownEffect(BackupSchedule)(text)), (_) => String(_))

const good = [
  "0 30 2 * * *",
  "59 59 23 31 12 6",
  "0 0 0 1 1 0",
  "0 15 * * * *",
  "0 15 */2 * * *",
  "0 15 0-8/4 * * MON-FRI",
  "0 15 4/6 1,15 jan,Jul *",
  "0 0 3 29 2 *",
  "0 0 3 31 4,5 *",
  // Either the day or the weekday is enough.
  "0 0 3 31 2 SUN",
  // With a star in one of them the day has to be both.
  "0 0 3 */2 * MON",
  "0 0 3 29 2 */1",
  "0 0 3 28,29 2 */2"
]

/** By the rule that the refusal says. */
const bad: Readonly<Record<string, ReadonlyArray<string>>> = {
  "six fields with one space between them": [
    "30 2 * * *",
    "0 30 2 * * * 2026",
    "@daily",
    "@every 1h",
    "",
    " 0 30 2 * * *",
    "0 30 2 * *  *",
    "TZ=Europe/Berlin 0 30 2 * * *"
  ],
  "six fields of numbers, ranges, lists and steps": [
    "60 0 2 * * *",
    "0 60 2 * * *",
    "0 0 24 * * *",
    "0 0 2 0 * *",
    "0 0 2 32 * *",
    "0 0 2 * 0 *",
    "0 0 2 * 13 *",
    "0 0 2 * * 7",
    "0 0 2 * * MON,",
    "0 0 2 * * FRI-MON",
    "0 0 5-2 * * *",
    "0 0 1-2-3 * * *",
    "0 0 */0 * * *",
    "0 0 */2/3 * * *",
    "0 0 -1 * * *",
    "0 0 2.5 * * *",
    "0 0 2 * XXX *",
    "0 0 2 L * *",
    "0 0 2 ? * *",
    "0\t0 2 * * * x",
    "a b c d e f"
  ],
  "a schedule that comes within five years": [
    "0 0 3 30 2 *",
    "0 0 3 31 2,4,6 *",
    "0 0 3 31 9,11 */2",
    "0 0 3 29 2 */3",
    "0 0 3 */31 2 MON",
    "0 0 3 1-1,*/31 3 TUE"
  ],
  "at most one backup an hour": [
    "* 0 2 * * *",
    "0 * * * * *",
    "0 */30 * * * *",
    "0 0,30 2 * * *",
    "0 0-1 2 * * *",
    "0,30 0 2 * * *"
  ]
}

describe("BackupSchedule", () => {
  for (const text of good) {
    it.effect(`takes '${text}'`, () => Effect.asVoid(Schema.decodeUnknownEffect(BackupSchedule)(text)))
  }
  for (const [rule, texts] of Object.entries(bad)) {
    for (const text of texts) {
      it.effect(`refuses '${text}' and says the rule: ${rule}`, () =>
        Effect.gen(function* () {
          assert.include(yield* refusal(text), rule)
        })
      )
    }
  }
})

describe("RetentionDays", () => {
  for (const days of [1, 30, 365]) {
    it.effect(`takes ${days}`, () => Effect.asVoid(Schema.decodeUnknownEffect(RetentionDays)(days)))
  }
  for (const days of [0, 366, -1, 1.5, "30", null]) {
    it.effect(`refuses ${JSON.stringify(days)}`, () =>
      Effect.asVoid(Effect.flip(Schema.decodeUnknownEffect(RetentionDays)(days)))
    )
  }
})

it.effect("a text that is longer than any schedule is not taken apart", () =>
  Effect.gen(function* () {
    const refused = yield* refusal(`${"*,".repeat(31_000)}* 0 0 * * *`)
    assert.notInclude(refused, "six fields")
    assert.include(refused, "200")
  })
)
