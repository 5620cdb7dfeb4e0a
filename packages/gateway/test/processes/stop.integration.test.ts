import type { Fault } from "@portico/simulator/Fault"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { join } from "node:path"
import { firstLine, repository, spawned } from "./children.ts"
import { clearFaults, fault, reached, startGateway, story } from "./harness.ts"
import { forgotten } from "./killed.ts"

for (const processes of ["1", "2"]) {
  story(`a hanging rollback does not keep a gateway of ${processes} from stopping, and the next one completes it`, () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ PORTICO_PROCESSES: processes })
      const create: Fault = { service: "neutron", method: "POST", path: "/v2.0/networks", when: "after", as: "hang" }
      yield* fault(create)
      const remove = { service: "neutron", when: "before", times: "always", as: "hang", path: "/v2.0/**" } as const
      for (const method of ["GET", "DELETE"]) yield* fault({ ...remove, method })
      const onboarding = yield* Effect.forkScoped(gateway.onboard("Acme GmbH"))
      yield* reached(create)
      // A process that has not ended within 30 seconds ends with code 1.
      assert.strictEqual(yield* gateway.stop, 0, gateway.log())
      const told = yield* Fiber.join(onboarding)
      assert.deepInclude(told, { status: 503 }, JSON.stringify(told))

      yield* clearFaults
      const next = yield* startGateway()
      yield* forgotten
      assert.strictEqual((yield* next.onboard("Acme GmbH")).status, 201)
    })
  )
}

it.live("a process whose stop never ends is killed, with a message", () =>
  Effect.gen(function* () {
    const program = join(repository, "packages/gateway/test/processes/endless.ts")
    const child = yield* spawned({ command: [process.execPath, program], settings: {} })
    yield* firstLine(child)
    yield* child.signal("SIGTERM")
    assert.strictEqual(yield* child.ended, 1)
    assert.strictEqual(child.stderr(), "portico: the stop did not end within 30s\n")
  }).pipe(Effect.scoped)
)
