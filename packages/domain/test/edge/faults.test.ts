import { assert, it } from "@effect/vitest"
import { removeExposure } from "@portico/domain/edge/remove"
import { resyncExposures } from "@portico/domain/edge/resync"
import { verifyExposure } from "@portico/domain/edge/verify"
import type { Fault } from "@portico/simulator/Fault"
import { Effect, Exit, Fiber } from "effect"
import { inTime, settle } from "@portico/testing/clock"
import { kube } from "../workloadIdentity/cluster.ts"
import { acmeAndGlobex, atService, edgeNamespace, exposed, publishes, servedNames, withDomain } from "./edge.ts"
import { dies, jobs, type Needs, ownCalls } from "./jobs.ts"
import { callsOf, titleOf, under, whensOf } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { sampled } from "@portico/testing/sample/sampled"

/** Two exposures; the domain of one is published and not verified. */
const seed = await seedOf(
  Effect.gen(function* () {
    const { acme } = yield* acmeAndGlobex
    const shop = yield* exposed(acme, withDomain)
    const web = yield* exposed(acme, atService)
    yield* publishes("shop.example", shop.domain?.challenge.value ?? "")
    return { acme, shop, web }
  })
)
const begun = from(seed)
type Begun = typeof seed.made

interface Story {
  readonly run: (begun: Begun) => Effect.Effect<unknown, { readonly _tag: string }, Needs>
  /** What is served when all that was asked for is done, once or often. */
  readonly done: (begun: Begun) => ReadonlyArray<string>
  /** What was there before, beside the two. */
  readonly prepare?: (begun: Begun) => Effect.Effect<void, never, Needs>
}

const gatewayApi = "/apis/gateway.networking.k8s.io"

/** A route and a grant are gone, so that there is something to mend. */
const damage = ({ acme, shop, web }: Begun) =>
  Effect.gen(function* () {
    yield* kube("DELETE", `${gatewayApi}/v1/namespaces/${edgeNamespace}/httproutes/${shop.exposure_id}`, {})
    yield* kube("DELETE", `${gatewayApi}/v1beta1/namespaces/db-${acme}/referencegrants/${web.exposure_id}`, {})
  })

const stories: Readonly<Record<string, Story>> = {
  verify: {
    run: ({ acme, shop }) => verifyExposure(acme, shop.exposure_id),
    done: ({ shop, web }) => ["shop.example", shop.hostname, web.hostname]
  },
  remove: {
    // What is gone already is gone.
    run: ({ acme, shop }) => Effect.catchTag(removeExposure(acme, shop.exposure_id), "NotFound", () => Effect.void),
    done: ({ web }) => [web.hostname]
  },
  resync: {
    prepare: damage,
    run: ({ acme }) => resyncExposures(acme),
    done: ({ shop, web }) => [shop.hostname, web.hostname]
  }
}

for (const [name, { done, prepare = () => Effect.void, run }] of Object.entries(stories)) {
  const calls = await ownCalls(begun((made) => Effect.andThen(prepare(made), callsOf(inTime(run(made))))))

  /** The same request again has done it, and nothing that comes later undoes it. */
  const isDone = Effect.fnUntraced(function* (made: Begun, because: string) {
    yield* inTime(run(made))
    const names = done(made).toSorted()
    assert.deepStrictEqual(yield* servedNames, names, because)
    yield* jobs
    assert.deepStrictEqual(yield* servedNames, names, because)
    assert.strictEqual((yield* inTime(resyncExposures(made.acme))).changed, 0, because)
  })

  const fails = (fault: Fault) =>
    begun((made) =>
      Effect.gen(function* () {
        yield* prepare(made)
        const first = yield* Effect.exit(under(fault, inTime(run(made))))
        if (Exit.isFailure(first)) {
          assert.include(["BadGateway", "Conflict"], (yield* Effect.flip(first))._tag, titleOf(fault))
        }
        yield* isDone(made, titleOf(fault))
      })
    )

  const hangsUp = (fault: Fault) =>
    begun((made) =>
      Effect.gen(function* () {
        yield* prepare(made)
        const asked = yield* under(fault, Effect.tap(Effect.forkDetach(run(made)), settle))
        yield* inTime(Fiber.interrupt(asked))
        yield* isDone(made, `${titleOf(fault)}, and the client hangs up`)
      })
    )

  const isKilled = (fault: Fault) =>
    begun((made) =>
      Effect.gen(function* () {
        yield* prepare(made)
        yield* dies(fault, run(made))
        yield* isDone(made, `${titleOf(fault)}, and the process is gone`)
      })
    )

  it(`${name} makes calls`, () => assert.isAbove(calls.length, 1))
  for (const call of sampled(`calls of ${name}`, 5, calls)) {
    const at = `${call.method} ${call.path} (${call.nth})`
    it.effect(`${name}: after a fault of ${at}, the same request succeeds`, () =>
      Effect.forEach(someFaultsOf(call), fails, { discard: true })
    )
    it.effect(`${name}: a disconnect or a death at ${at}`, () =>
      Effect.forEach(
        whensOf(call),
        (when) => {
          const fault: Fault = { ...call, when, as: "hang" }
          return Effect.andThen(hangsUp(fault), isKilled(fault))
        },
        { discard: true }
      )
    )
  }
}

/** What is deleted half way is finished without anybody. */
it.effect("a removal whose process dies is completed by others", () =>
  begun((made) =>
    Effect.gen(function* () {
      const path = `${gatewayApi}/v1/namespaces/*/httproutes/*`
      const fault: Fault = { service: "kubernetes", method: "DELETE", path, when: "after", as: "hang" }
      yield* dies(fault, removeExposure(made.acme, made.shop.exposure_id))
      yield* jobs
      assert.deepStrictEqual(yield* servedNames, [made.web.hostname])
      assert.strictEqual((yield* Effect.flip(removeExposure(made.acme, made.shop.exposure_id)))._tag, "NotFound")
    })
  )
)
