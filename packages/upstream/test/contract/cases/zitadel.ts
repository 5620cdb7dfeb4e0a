import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Clock, DateTime, Effect, Redacted } from "effect"
import type { Cases } from "../Case.ts"
import { attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const stamp = "portico-attempt:one"
const otherStamp = "portico-attempt:two"

/** A machine user of this case's own, gone at its end. */
const user = Effect.fnUntraced(function* (word: string) {
  const zitadel = yield* Zitadel
  const userId = (yield* Systems).named(word)
  yield* Effect.acquireRelease(
    zitadel.createMachineUser({ userId, userName: `name-of-${userId}`, name: "A machine", stamp }),
    () => Effect.ignore(zitadel.removeUser(userId, stamp))
  )
  return userId
})

/** Secrets are random; that there is one, and whether two are one, is what counts. */
const shown = (secret: Redacted.Redacted) => Redacted.value(secret).length > 20

export const zitadel: Cases = {
  "a machine user is made once for one stamp, taken for every other, and removed by its stamp alone": Effect.gen(
    function* () {
      const zitadel = yield* Zitadel
      const userId = (yield* Systems).named("machine")
      const make = (stamp: string, userName = `name-of-${userId}`) =>
        attempt(zitadel.createMachineUser({ userId, userName, name: "A machine", stamp }))
      return {
        made: yield* make(stamp),
        again: yield* make(stamp),
        byAnother: yield* make(otherStamp),
        removedByAnother: yield* attempt(zitadel.removeUser(userId, otherStamp)),
        stillThere: yield* make(otherStamp),
        removed: yield* attempt(zitadel.removeUser(userId, stamp)),
        removedAgain: yield* attempt(zitadel.removeUser(userId, stamp)),
        withoutName: yield* make(stamp, ""),
        withLongName: yield* make(stamp, "x".repeat(201))
      }
    }
  ),

  "a role is granted once, and its holder's token has it": Effect.gen(function* () {
    const zitadel = yield* Zitadel
    const userId = yield* user("holder")
    const token = yield* zitadel.createToken(userId, undefined)
    return {
      before: yield* attempt(Effect.map(zitadel.introspect(token), (_) => _?.roles)),
      granted: yield* attempt(zitadel.grantRole(userId, "customer")),
      again: yield* attempt(zitadel.grantRole(userId, "customer")),
      after: yield* attempt(
        Effect.map(zitadel.introspect(token), (_) => ({ ..._, exp: typeof _?.exp, issuedAt: typeof _?.issuedAt }))
      ),
      noRole: yield* attempt(zitadel.grantRole(userId, "no-such-role")),
      noUser: yield* attempt(zitadel.grantRole("nobody", "customer"))
    }
  }).pipe(Effect.scoped),

  "a new secret replaces the previous one": Effect.gen(function* () {
    const zitadel = yield* Zitadel
    const userId = yield* user("secret")
    const [one, two] = [yield* zitadel.createSecret(userId), yield* zitadel.createSecret(userId)]
    return {
      secrets: [shown(one), shown(two), Redacted.value(one) === Redacted.value(two)],
      ofNobody: yield* attempt(zitadel.createSecret("nobody")),
      tokenOfNobody: yield* attempt(zitadel.createToken("nobody", undefined))
    }
  }).pipe(Effect.scoped),

  "a token is inactive when it has expired, or its user is deactivated": Effect.gen(function* () {
    const zitadel = yield* Zitadel
    const { pause } = yield* Systems
    const userId = yield* user("over")
    const soon = DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + 1500)
    const [short, long] = [yield* zitadel.createToken(userId, soon), yield* zitadel.createToken(userId, undefined)]
    const active = (token: Redacted.Redacted) => attempt(Effect.map(zitadel.introspect(token), (_) => _ !== undefined))
    const first = [yield* active(short), yield* active(long)]
    yield* pause
    yield* pause
    const later = [yield* active(short), yield* active(long)]
    return {
      first,
      later,
      nonsense: yield* active(Redacted.make("nonsense")),
      deactivated: yield* attempt(zitadel.deactivateUser(userId)),
      again: yield* attempt(zitadel.deactivateUser(userId)),
      afterwards: yield* active(long),
      nobody: yield* attempt(zitadel.deactivateUser("nobody"))
    }
  }).pipe(Effect.scoped)
}
