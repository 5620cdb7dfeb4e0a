import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate, sweepRotations } from "@portico/domain/credentials/rotate"
import { setBilling } from "@portico/domain/org/billing"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { exchange } from "@portico/domain/workloadIdentity/exchange"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { resolve } from "@portico/testing/tenants/caller"
import { inTime } from "@portico/testing/clock"
import { cluster, mapping, projectedToken } from "../workloadIdentity/cluster.ts"
import { account, person, tokenOf } from "../org/people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

/** One after the other the same numbers for the same seed (Numerical Recipes), from 0 to 1. */
const randomOf = (seed: number) => {
  let state = seed * 7919
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** A person of one invitation; whoever is invited again is another one. */
interface Person {
  readonly name: string
  readonly userId: string
  readonly email: string
  works: boolean
  tier: number
  billing: boolean
}

/** What somebody knows the secret of, and what it can never be more than. */
interface Known {
  readonly secret: string
  readonly by: Person
  /** Undefined for a workload's token. */
  readonly id: string | undefined
  readonly agent: boolean
  readonly ends: number
}

const acts = "mint mint mint rotate rotate rotate exchange revoke role role money remove sweep seconds hours".split(" ")
const steps = 40
const seeds = 24

const play = Effect.fnUntraced(function* (seed: number) {
  const random = randomOf(seed)
  const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] ?? assert.fail("nothing to pick")
  const { owner, projectId } = yield* account()
  yield* cluster
  yield* mapping(projectId, { tier: 2 })
  const played: Array<string> = []
  const known: Array<Known> = []
  const invited = Effect.fnUntraced(function* (name: string) {
    const { email, userId } = yield* person(projectId, "customer", `${name}@acme.example`)
    return { name, userId, email, works: true, tier: 2, billing: false } satisfies Person
  })
  const people: Array<Person> = [yield* invited("ann"), yield* invited("bob")]

  /** What a call of somebody is made with: a login, or one of the last secrets. */
  const asking = Effect.fnUntraced(function* (by: Person) {
    const login = { secret: yield* tokenOf(by.userId), by, id: undefined, agent: false, ends: Number.POSITIVE_INFINITY }
    const from: Known = pick([login, ...known.filter((_) => _.by === by).slice(-6)])
    const caller = yield* Effect.option(resolve(from.secret))
    return Option.map(caller, (caller) => ({ caller, from }))
  })

  const held = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const { agent, by, ends, id, secret } of known) {
      const caller: Caller | undefined = Option.getOrUndefined(yield* Effect.option(resolve(secret)))
      if (caller === undefined) continue
      const told = `${id ?? "a token"} of ${by.name} works, after:\n${played.join("\n")}`
      assert.isTrue(by.works, told)
      assert.isBelow(now, ends, told)
      assert.isAtMost(caller.tier, by.tier, told)
      assert.isTrue(by.billing || !caller.billing, told)
      assert.isTrue(!agent || caller.kind === "mcp", told)
    }
  })

  const act = Effect.fnUntraced(function* (what: string, by: Person) {
    const asked = yield* asking(by)
    const target = known.length === 0 ? undefined : pick(known.slice(-8))
    if (Option.isNone(asked)) return
    const { caller, from } = asked.value
    const tenant = caller.tenant ?? assert.fail("no tenant")
    const now = yield* Clock.currentTimeMillis
    const day = random() < 0.4
    const agent = random() < 0.3
    switch (what) {
      case "mint": {
        const kind = agent ? "mcp" : "api-key"
        const tier = caller.tier === 2 && agent ? 1 : caller.tier
        const request = { kind, tier, label: "CI", ...(day ? { expires_in_days: 1 } : {}) } as const
        const { credential_id: id, pat: secret } = yield* mint(caller, tenant, request)
        const ends = Math.min(day ? now + 86_400_000 : Number.POSITIVE_INFINITY, from.ends)
        return void known.push({ secret, by, id, agent: agent || from.agent, ends })
      }
      case "rotate": {
        if (target?.id === undefined) return
        const overlap_seconds = pick([0, 0, 30])
        const { credential_id: id, pat: secret } = yield* inTime(rotate(caller, tenant, target.id, { overlap_seconds }))
        return void known.push({ ...target, secret, by, id, agent: target.agent || from.agent })
      }
      case "exchange": {
        const { access_token: secret } = yield* exchange(caller, { subject_token: yield* projectedToken() })
        const ends = Math.min(now + 3_600_000, from.ends)
        return void known.push({ secret, by, id: undefined, agent: from.agent, ends })
      }
    }
  })

  /** What an owner does, or time. */
  const happen = Effect.fnUntraced(function* (what: string, by: Person) {
    switch (what) {
      case "revoke": {
        const { id } = known.length === 0 || random() < 0.6 ? { id: undefined } : pick(known)
        return id === undefined ? undefined : yield* revoke(owner.caller, id)
      }
      case "role": {
        const [role, tier] = pick([
          ["customer-viewer", 0] as const,
          ["customer-engineer", 1] as const,
          ["customer", 2] as const
        ])
        yield* inTime(inviteUser(owner.caller, { email: by.email, role }))
        by.tier = tier
        return
      }
      case "money": {
        const billing_access = random() < 0.5
        yield* inTime(setBilling(owner.caller, by.userId, { billing_access }))
        by.billing = billing_access
        return
      }
      case "remove": {
        if (random() < 0.4) return
        yield* inTime(removeUser(owner.caller, by.userId))
        by.works = false
        yield* held()
        people[people.indexOf(by)] = yield* invited(by.name)
        return
      }
      case "sweep":
        return yield* sweepRotations
      case "seconds":
        return yield* TestClock.adjust("31 seconds")
      case "hours":
        return yield* TestClock.adjust("11 hours")
    }
  })

  for (let step = 0; step < steps; step++) {
    yield* TestClock.adjust("1 second")
    const what = pick(acts)
    const by = pick(people)
    const before = known.length
    const failure = yield* Effect.match(Effect.andThen(act(what, by), happen(what, by)), {
      onSuccess: () => undefined,
      onFailure: (_) => _.code
    })
    played.push([what, by.name, known.length > before ? known.at(-1)?.id : undefined, failure].join(" "))
    yield* held()
  }
  return known.length
})

describe("random acts of people with their keys, and of an owner with the people", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`no credential ever exceeds those who know its secret: ${seed}`, () =>
      Effect.gen(function* () {
        assert.isAbove(yield* play(seed), 2)
      }).pipe(Effect.provide(Simulated))
    )
  }
})
