import { assert } from "@effect/vitest"
import { pass } from "@portico/testing/store/Aging"
import { Duration, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { InvitationMails } from "../src/InvitationMails.ts"
import { replica } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const limits = { window: Duration.hours(1), perProject: 4, perAddress: 2 }

const take = (projectId: string, email: string) =>
  Effect.flatMap(InvitationMails, (_) => _.take(projectId, email, limits))

const taken = (projectId: string, ...emails: ReadonlyArray<string>) =>
  Effect.forEach(emails, (email) => take(projectId, email))

storiesOf("Invitation mails", (story) => {
  story(
    "to one address are counted without regard to case, and a project's in total",
    Effect.fnUntraced(function* () {
      const acme = randomUUID()
      const mails = [
        "ann@a.example",
        "Ann@A.example",
        "ann@a.example",
        "bob@a.example",
        "eve@a.example",
        "joe@a.example"
      ]
      assert.deepStrictEqual(yield* taken(acme, ...mails), [true, true, false, true, true, false])
    })
  )

  story(
    "of other projects are counted separately, also to the same address",
    Effect.fnUntraced(function* () {
      const [acme, globex] = [randomUUID(), randomUUID()]
      assert.deepStrictEqual(yield* taken(acme, "x@a.example", "x@a.example", "x@a.example"), [true, true, false])
      assert.isTrue(yield* take(globex, "x@a.example"))
    })
  )

  story(
    "are deleted one by one, when the window has passed since each",
    Effect.fnUntraced(function* () {
      const acme = randomUUID()
      yield* take(acme, "ann@a.example")
      yield* pass("40 minutes")
      yield* take(acme, "ann@a.example")
      assert.isFalse(yield* take(acme, "ann@a.example"))
      yield* pass("21 minutes")
      assert.deepStrictEqual(yield* taken(acme, "ann@a.example", "ann@a.example"), [true, false])
    })
  )
})

postgresStoriesOf("Invitation mails of several replicas", (story) => {
  story(
    "stay within the limits with any number at once",
    Effect.fnUntraced(function* () {
      const acme = randomUUID()
      const other = yield* replica
      const emails = Array.from({ length: 20 }, (_, n) => `person-${n}@a.example`)
      const all = Effect.forEach(emails, (_) => take(acme, _), { concurrency: "unbounded" })
      const [here, there] = yield* Effect.all([all, Effect.provide(all, other)], { concurrency: 2 })
      assert.lengthOf(
        [...here, ...there].filter((_) => _),
        limits.perProject
      )
    })
  )
})
