import { Humans } from "@portico/upstream/zitadel/Humans"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import type { Cases } from "../Case.ts"
import { attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const stamp = "portico-attempt:one"
const otherStamp = "portico-attempt:two"

/** An address of this run's own, of whose login nothing is left at the end. */
const address = Effect.fnUntraced(function* (word: string) {
  const humans = yield* Humans
  const email = `${(yield* Systems).named(word)}@people.example`
  yield* Effect.addFinalizer(() => Effect.ignore(humans.removeByEmail(email, stamp)))
  return email
})

const create = (
  email: string,
  more: { readonly stamp?: string; readonly role?: string; readonly name?: string } = {}
) =>
  Effect.flatMap(Humans, (_) =>
    _.create({
      email,
      displayName: more.name ?? "Ann van Lee",
      stamp: more.stamp ?? stamp,
      role: more.role ?? "customer"
    })
  )

const held = (userId: string) => Effect.flatMap(Humans, (_) => attempt(_.rolesOf(userId)))

export const humans: Cases = {
  "a login is made once for one stamp, found by its address later than by its id, and removed by its stamp alone":
    Effect.gen(function* () {
      const humans = yield* Humans
      const { pause } = yield* Systems
      const email = yield* address("Ann")
      const { userId } = yield* create(email)
      const unseen = yield* attempt(humans.findByEmail(email))
      const made = yield* humans.find(userId)
      yield* pause
      yield* pause
      return {
        unseen,
        made: made && { ...made, userId: made.userId === userId },
        byEmail: (yield* humans.findByEmail(email.toUpperCase()))?.userId === userId,
        listed: (yield* humans.list([userId, "nobody"])).size,
        again: (yield* create(email)).userId === userId,
        inCapitals: (yield* create(email.toUpperCase())).userId === userId,
        byAnother: yield* attempt(create(email, { stamp: otherStamp })),
        removedByAnother: yield* attempt(humans.remove(userId, otherStamp)),
        stillThere: (yield* humans.find(userId)) !== undefined,
        removed: yield* attempt(humans.remove(userId, stamp)),
        removedAgain: yield* attempt(humans.remove(userId, stamp)),
        gone: yield* attempt(humans.find(userId)),
        withoutName: yield* attempt(create(email, { name: "" })),
        withLongStamp: yield* attempt(create(email, { stamp: "x".repeat(201) }))
      }
    }).pipe(Effect.scoped),

  "a new login is found again, and removed, by its address alone": Effect.gen(function* () {
    const humans = yield* Humans
    const email = yield* address("moment")
    const { userId } = yield* create(email)
    const again = yield* create(email)
    const removed = yield* attempt(humans.removeByEmail(email, stamp))
    return {
      again: again.userId === userId,
      removed,
      gone: yield* attempt(humans.find(userId)),
      ofNobody: yield* attempt(humans.removeByEmail(email, stamp))
    }
  }).pipe(Effect.scoped),

  "a machine user's name is refused to a login": Effect.gen(function* () {
    const zitadel = yield* Zitadel
    const userName = `${(yield* Systems).named("machine")}@people.example`
    const userId = (yield* Systems).named("machine-id")
    yield* Effect.acquireRelease(zitadel.createMachineUser({ userId, userName, name: "A machine", stamp }), () =>
      Effect.ignore(zitadel.removeUser(userId, stamp))
    )
    return {
      taken: yield* attempt(create(userName)),
      person: yield* attempt(Effect.flatMap(Humans, (_) => _.find(userId)))
    }
  }).pipe(Effect.scoped),

  "a role replaces the previous one, and may be granted again": Effect.gen(function* () {
    const humans = yield* Humans
    const { pause } = yield* Systems
    const { userId } = yield* create(yield* address("role"))
    const given = yield* attempt(humans.setRole(userId, "customer-admin"))
    const stale = yield* held(userId)
    const again = yield* attempt(humans.setRole(userId, "customer-admin"))
    yield* pause
    yield* pause
    return {
      given,
      stale,
      again,
      now: yield* held(userId),
      holders: (yield* humans.holders("customer-admin")).includes(userId),
      formerly: (yield* humans.holders("customer")).includes(userId),
      noRole: yield* attempt(humans.setRole(userId, "no-such-role")),
      noUser: yield* attempt(humans.setRole("nobody", "customer")),
      stillHeld: yield* held(userId)
    }
  }).pipe(Effect.scoped),

  "the mail is sent again to a user who has not followed the first": Effect.gen(function* () {
    const humans = yield* Humans
    const { userId } = yield* create(yield* address("mail"))
    return {
      state: (yield* humans.find(userId))?.state,
      resent: yield* attempt(humans.resendMail(userId)),
      toNobody: yield* attempt(humans.resendMail("nobody"))
    }
  }).pipe(Effect.scoped)
}
