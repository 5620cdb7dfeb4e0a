import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { inviteUser } from "@portico/domain/org/invite"
import { sweepMembers } from "@portico/domain/org/remove"
import { memberLease } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import { Effect } from "effect"
import { pass } from "@portico/testing/store/Aging"
import { administrator, refused } from "@portico/testing/tenants/caller"
import { loginOf, tokenOf } from "./people.ts"
import { replica, Shared } from "@portico/testing/cloud/postgres"

const rounds = 8

it.live("of eight concurrent invitations of one address one creates the login, which is valid", () =>
  Effect.gen(function* () {
    const replicas = yield* Effect.all([replica(), replica()])
    const [first] = replicas
    const { tenant } = yield* Effect.provide(onboard({ name: "Acme GmbH", tier: "extension" }), first)
    for (let round = 0; round < rounds; round++) {
      const email = `ann-${round}@acme.example`
      const request = { email, role: "customer", project_id: tenant.project_id } as const
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => index),
        (index) =>
          inviteUser(administrator, request).pipe(
            Effect.match({
              onSuccess: (_) => (_.created ? "invited" : "a member already"),
              onFailure: (_) => ("code" in _ ? String(_.code) : String(_))
            }),
            Effect.provide(replicas[index % 2] ?? first)
          ),
        { concurrency: "unbounded" }
      )
      const words = `round ${round}: ${answers.join(", ")}`
      assert.lengthOf(
        answers.filter((_) => _ === "invited"),
        1,
        words
      )
      assert.includeMembers(["invited", "a member already", "invitation_busy"], answers, words)

      const works = Effect.gen(function* () {
        const login = yield* loginOf(email)
        assert.ok(login, words)
        assert.strictEqual(yield* refused(yield* tokenOf(login.id)), "accepted", words)
        assert.deepInclude(yield* (yield* Members).findByEmail(email), {
          state: "active",
          user_id: login.id,
          attempt: null,
          mint_ends: null
        })
      }).pipe(Effect.provide(first))
      yield* works
      yield* pass(memberLease)
      yield* Effect.provide(sweepMembers, first)
      yield* works
    }
  }).pipe(Effect.scoped, Effect.provide(Shared))
)
