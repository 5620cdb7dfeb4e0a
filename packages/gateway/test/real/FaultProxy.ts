import type { ServiceName } from "@portico/simulator/Wire"
import { type Fault, type FaultKind, Rules } from "@portico/simulator/Fault"
import { Context, Effect, Layer, type Scope } from "effect"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { realSettings } from "./told.ts"

/** A call that came by, and what the real service said to it. */
export interface Passed {
  readonly service: ServiceName
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Undefined while there is no answer, and when the call went no further. */
  answer?: { readonly status: number; readonly body: Buffer; readonly rawHeaders: Array<string> }
}

const settings: ReadonlyArray<readonly [ServiceName, string]> = [
  ["keystone", "IAAS_IDENTITY_URL"],
  ["nova", "IAAS_COMPUTE_URL"],
  ["neutron", "IAAS_NETWORK_URL"],
  ["cinder", "IAAS_VOLUME_URL"],
  ["octavia", "IAAS_LOAD_BALANCER_URL"],
  ["rgw", "RGW_URL"]
]

/**
 * Stands in front of the real services, with an address for each, and spoils
 * calls by the simulated cloud's rules: before it has passed them on, or when
 * the service has done its work and only the answer is left.
 */
export class FaultProxy extends Context.Service<
  FaultProxy,
  {
    /** Addresses of the services that an onboarding calls, for the settings of a gateway behind. */
    readonly settings: Readonly<Record<string, string>>
    readonly passed: Effect.Effect<ReadonlyArray<Passed>>
    fault(fault: Fault): Effect.Effect<void>
  }
>()("portico/gateway/test/real/FaultProxy") {
  static readonly layer = Layer.effect(
    FaultProxy,
    Effect.gen(function* () {
      const passed: Array<Passed> = []
      const rules = new Rules()

      const meddling = (service: ServiceName, real: URL) => async (from: IncomingMessage, to: ServerResponse) => {
        const { method = "", url = "" } = from
        const [path = ""] = url.split("?", 1)
        const call: Passed = { service, method, path }
        passed.push(call)
        const faults = rules.trip(call)
        const spoilt = (when: Fault["when"]) => faults.find((_) => _.when === when)?.as
        const body = Buffer.concat(await from.toArray())
        const before = spoilt("before")
        if (before !== undefined) return spoil(to, before)
        const answer = await forwarded(real, from, body)
        call.answer = answer
        const after = spoilt("after")
        if (after !== undefined) return spoil(to, after)
        to.writeHead(answer.status, answer.rawHeaders)
        to.end(answer.body)
      }

      const addresses: Record<string, string> = {}
      const real = realSettings()
      for (const [service, setting] of settings) {
        const url = new URL(real[setting] ?? "")
        addresses[setting] = `${yield* listening(meddling(service, url))}${url.pathname}`.replace(/\/$/, "")
      }
      return FaultProxy.of({
        settings: addresses,
        passed: Effect.sync(() => [...passed]),
        fault: (fault) => Effect.sync(() => void rules.add(fault))
      })
    })
  )
}

const spoil = (to: ServerResponse, as: FaultKind): void => {
  if (typeof as === "object" && "status" in as) {
    to.writeHead(as.status, { "content-type": "application/json" }).end(`{"message": "simulated ${as.status}"}`)
  } else to.socket?.resetAndDestroy()
}

/** Under the Host that the caller named: it may have signed it. */
const forwarded = (real: URL, { headers, method, url }: IncomingMessage, body: Buffer) =>
  new Promise<NonNullable<Passed["answer"]>>((resolve, reject) => {
    const { hostname, port } = real
    const onward = request({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      const { rawHeaders, statusCode = 0 } = answer
      const kept = rawHeaders.flatMap((name, i) =>
        i % 2 === 0 && !/^(connection|transfer-encoding)$/i.test(name) ? [name, rawHeaders[i + 1] ?? ""] : []
      )
      answer.toArray().then((pieces) => {
        resolve({ status: statusCode, body: Buffer.concat(pieces), rawHeaders: kept })
      }, reject)
    })
    onward.once("error", reject).end(body)
  })

const listening = (
  serve: (from: IncomingMessage, to: ServerResponse) => Promise<void>
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = createServer((from, to) => {
      // A service that breaks off is passed on as what it is.
      serve(from, to).catch(() => to.socket?.resetAndDestroy())
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  })
