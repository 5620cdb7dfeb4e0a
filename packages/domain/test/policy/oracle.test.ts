import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { areas } from "@portico/contract/areas"
import type { PolicyRequest } from "@portico/contract/Policy"
import { effective } from "@portico/domain/policy/effective"
import { denied, limited, limitsOf } from "@portico/domain/access/limits"
import { putPolicy } from "@portico/domain/policy/policies"
import { createUnit } from "@portico/domain/policy/units"
import { Effect } from "effect"
import * as fc from "fast-check"
import { callerOf } from "@portico/testing/tenants/caller"
import { personOf } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"

const tiers = [0, 1, 2] as const
const few = ["compute", "network", "credentials", "kubernetes"] as const

/** Labels of which some begin with others, so that a prefix of a path is not yet an ancestor. */
const label = fc.constantFrom("a", "ab", "a-b", "b", "0")
const path = fc.array(label, { minLength: 1, maxLength: 8 }).map((_) => _.join("."))
const deny = fc
  .tuple(fc.constantFrom(...few), fc.constantFrom("", ":read", ":operate", ":destroy"))
  .map((_) => _.join(""))

const policy = (ous: ReadonlyArray<string>): fc.Arbitrary<PolicyRequest> =>
  fc.record(
    { ou: fc.constantFrom("", ...ous), max_tier: fc.constantFrom(...tiers), denies: fc.array(deny, { maxLength: 4 }) },
    { requiredKeys: ["ou"] }
  )

/** A tree, whose units are in any order, and some policies, of which later ones replace earlier ones. */
const account = fc
  .array(path, { minLength: 1, maxLength: 6 })
  .map((leaves) => [...new Set(leaves.flatMap(withParents))])
  .chain((ous) => fc.record({ ous: fc.constant(ous), policies: fc.array(policy(ous), { maxLength: 8 }) }))

const withParents = (leaf: string): ReadonlyArray<string> => {
  const labels = leaf.split(".")
  return labels.map((_, i) => labels.slice(0, i + 1).join("."))
}

type Level = "read" | "operate" | "destroy"

/** What the rules say, looked up the slow way: every policy of the account, one after the other. */
const oracle = (policies: ReadonlyArray<PolicyRequest>, unit: string) => {
  const last = policies.filter(({ ou }, at) => !policies.slice(at + 1).some((_) => _.ou === ou))
  const applies = last
    .filter(({ ou }) => ou === "" || ou === unit || unit.startsWith(`${ou}.`))
    .toSorted((a, b) => a.ou.split(".").length * (a.ou === "" ? 0 : 1) - b.ou.split(".").length * (b.ou === "" ? 0 : 1))
  const lowest = Math.min(2, ...applies.map((_) => _.max_tier ?? 2))
  const from = applies.find((_) => _.max_tier === Math.min(...applies.map((_) => _.max_tier ?? 3)))?.ou ?? null
  /** Whether a call that needs the tier is refused, and by whose policy. */
  const refusal = (area: string, needed: 0 | 1 | 2): string | undefined => {
    const levels: Record<Level, boolean> = { read: needed >= 0, operate: needed >= 1, destroy: needed >= 2 }
    for (const { denies = [], ou } of applies) {
      if (denies.includes(area)) return ou
      for (const level of ["read", "operate", "destroy"] as const) {
        if (levels[level] && denies.includes(`${area}:${level}`)) return ou
      }
    }
  }
  return { lowest, from, refusal, denies: new Set(applies.flatMap((_) => _.denies ?? [])) }
}

const samples = fc.sample(account, { numRuns: 150, seed: 20_260_101 })

it.effect("every unit of every account has the result of a filter over all its policies", () =>
  Effect.gen(function* () {
    let refused = 0
    for (const [n, { ous, policies }] of samples.entries()) {
      const projectId = `project-${n}`
      const owner = personOf(projectId, "customer-owner")
      yield* Effect.forEach(ous, (ou) => createUnit(owner, undefined, ou))
      yield* Effect.forEach(policies, (_) => putPolicy(owner, undefined, _))

      for (const unit of ["", ...ous]) {
        const because = `${JSON.stringify(policies)} in '${unit}'`
        const wanted = oracle(policies, unit)
        const shown = yield* effective(owner, undefined, { ou: unit })
        assert.strictEqual(shown.max_tier ?? 2, wanted.lowest, because)
        assert.strictEqual(shown.max_tier_from, wanted.from, because)
        assert.sameMembers(
          shown.denies.map((_) => _.deny),
          [...wanted.denies],
          because
        )
        for (const held of tiers) {
          const limits = yield* limitsOf(projectId, [unit])
          const caller = new Caller({ ...callerOf(projectId), ...limited(held, limits, unit) })
          assert.strictEqual(caller.tier, Math.min(held, wanted.lowest), because)
          for (const area of few) {
            for (const needed of tiers) {
              const refusal = denied(caller, area, needed)
              const by = wanted.refusal(area, needed)
              assert.strictEqual(refusal !== undefined, by !== undefined, `${because}: ${area} ${needed}`)
              if (by === undefined) continue
              refused += 1
              assert.include(
                refusal?.detail,
                by === "" ? "of the whole account denies" : `unit '${by}' denies`,
                because
              )
            }
          }
          assert.isUndefined(denied(caller, "image", 2))
        }
      }
    }
    assert.isAbove(refused, 1000)
    assert.includeMembers([...areas], [...few])
  }).pipe(Effect.provide(Simulated))
)
