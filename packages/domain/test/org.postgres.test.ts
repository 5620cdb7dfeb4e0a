import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { inviteUser } from "@portico/domain/org/invite"
import { sweepMembers } from "@portico/domain/org/sweep"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import { memberLease } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import * as Store from "@portico/store/Store"
import { Effect, Layer } from "effect"
import { Aging, pass } from "@portico/testing/store/Aging"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { administrator, refused } from "./caller.ts"
import { loginOf, tokenOf } from "./people.ts"
import { processWith } from "./simulated.ts"

/** What all replicas share: the cloud, and one database. */
const Shared = Layer.mergeAll(
  transport.layer.pipe(Layer.provideMerge(SimulatedCloud.layerMemory)),
  Aging.layer.pipe(Layer.provideMerge(TestDatabase.layer))
)

/** A process of its own on the shared database, with sessions of its own. */
const replica = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(
    Layer.fresh(
      processWith({}).pipe(
        Layer.provideMerge(Store.layerNoDeps),
        Layer.provideMerge(PgClient.layer({ url, maxConnections: 10 }))
      )
    )
  )
)

const rounds = 8

it.live(
  "of eight invitations of one address at once one makes the login, and it works from then on",
  () =>
    Effect.gen(function* () {
      const replicas = yield* Effect.all([replica, replica])
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
    }).pipe(Effect.scoped, Effect.provide(Shared)),
  180_000
)
