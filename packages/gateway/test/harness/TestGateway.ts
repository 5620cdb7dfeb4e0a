import { agentTopic, auditTopic } from "@portico/contract/Events"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { AgentAddress, CustomerAddress, OperatorAddress } from "@portico/gateway/Planes"
import * as Gateway from "@portico/gateway/Gateway"
import { type Answer, type Asked, send } from "./http.ts"

export type Plane = "customer" | "operator"
export const planes: ReadonlyArray<Plane> = ["customer", "operator"]

/** A budget in which a few hundred small tenants fit, so that none of a file's stories fills it. */
const budget = {
  SELLABLE_CORES: "10000",
  SELLABLE_RAM_GIB: "20000",
  SELLABLE_BLOCK_GIB: "100000",
  SELLABLE_OBJECT_GIB: "40000",
  SELLABLE_FLOATING_IPS: "4000"
}

/** Both planes of the real gateway on free ports, with words for talking to them. */
export class TestGateway extends Context.Service<
  TestGateway,
  {
    /** One request; `path` goes out letter by letter. */
    call(plane: Plane, method: string, path: string, asked?: Asked): Effect.Effect<Answer>
    readonly url: Readonly<Record<Plane, string>>
    /** Of the MCP endpoint. */
    readonly agentUrl: string
    /** Its settings without its ports, by which gateways that behave alike are told; none with steps of its own. */
    readonly kind: string | undefined
    /** How often anything was written in the cloud, and all rows of all tables: equal before and after means that nothing was done. */
    readonly trace: Effect.Effect<unknown>
  }
>()("portico/gateway/test/TestGateway") {
  private static readonly words = (kind?: string) =>
    Layer.effect(
      TestGateway,
      Effect.gen(function* () {
        const url = { customer: (yield* CustomerAddress).url, operator: (yield* OperatorAddress).url }
        const cloud = yield* SimulatedCloud
        const memory = yield* Memory
        return TestGateway.of({
          url,
          kind,
          agentUrl: (yield* AgentAddress).url,
          call: (plane, method, path, asked) => send(url[plane], method, path, asked),
          trace: Effect.map(cloud.calls, (calls) => ({
            writes: calls.filter((_) => !readOnly(_)).map((_) => `${_.method} ${_.service}${_.path}`),
            tables: JSON.stringify(
              Object.values(memory).map((rows) => [...rows.values()].filter((_) => !isRecord(_))),
              (key, value: unknown) => (key.startsWith("last_used_") ? undefined : value)
            )
          }))
        })
      })
    )

  /** With settings of its own; they come from whatever the context holds. */
  static readonly layerOf = <R, E = never, S = never>(
    settings: Effect.Effect<Readonly<Record<string, string>>, never, R>,
    onboarding?: Layer.Layer<never, E, S>
  ) =>
    Layer.unwrap(
      Effect.map(settings, (own) => {
        const all = { ...quiet, ...budget, ...own }
        const kind =
          onboarding === undefined ? JSON.stringify(all).replaceAll(/(?<=127\.0\.0\.1|localhost):\d+/g, "") : undefined
        return this.words(kind).pipe(
          Layer.provideMerge(Gateway.layerWith({ onboarding: onboarding ?? Layer.empty })),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(all)))
        )
      })
    ).pipe(Layer.provideMerge(MemoryStore.layer))

  /** Another replica, on the store that the first one has, in front of the same cloud. */
  static readonly replica = Layer.fresh(
    this.words().pipe(
      Layer.provideMerge(Gateway.layer),
      Layer.provide(
        Layer.unwrap(
          Effect.map(Server, ({ url }) =>
            ConfigProvider.layer(ConfigProvider.fromUnknown({ ...quiet, ...budget, ...gatewaySettings(url) }))
          )
        )
      )
    )
  )

  static readonly cloud = Server.layer({ port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))

  /** In front of a simulated cloud. */
  static readonly layer = this.layerOf(Effect.map(Server, ({ url }) => gatewaySettings(url))).pipe(
    Layer.provideMerge(this.cloud)
  )
}

/** Longer than any story moves the clock. */
const never = String(1_000 * 24 * 3600)

/** More calls than any story makes while its clock stands still. */
const plenty = "1000000"

/** Any free ports, and nothing that the gateway does by itself in the middle of a story. */
const quiet = {
  CUSTOMER_PORT: "0",
  OPERATOR_PORT: "0",
  AGENT_PORT: "0",
  // A build of the console has a thousand files, which every gateway would read.
  CONSOLE_DIR: "/dev/null",
  SWEEP_SECONDS: never,
  PROBE_SECONDS: never,
  // The stories' client keeps its connections, and the stop of a gateway would wait for them.
  STOP_KEEP_ALIVE_SECONDS: "0",
  RATE_LIMIT_RPM_DISCOVERY: plenty,
  RATE_LIMIT_RPM_STANDARD: plenty,
  RATE_LIMIT_RPM_EXTENSION: plenty,
  SIGNUPS_TOTAL: "100000",
  SIGNUPS_PER_SOURCE: "100000",
  USAGE_SECONDS: never,
  PURGE_SECONDS: never,
  ACCOUNTS_SECONDS: never,
  EDGE_SECONDS: never,
  EDGE_SWEEP_SECONDS: never,
  AUTOSCALING_SECONDS: never,
  ALARMS_SECONDS: never,
  DELIVERIES_SECONDS: never,
  // Where the stories have their receivers, and nowhere else.
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1",
  BILLING_RELAY_SECONDS: never,
  BILLING_BUDGET_SECONDS: never,
  BILLING_RECONCILE_SECONDS: never
}

/** That somebody tried is always written down. */
const isRecord = (row: object): boolean => "topic" in row && (row.topic === auditTopic || row.topic === agentTopic)

/** Logging in and looking at a token change nothing that lasts. */
const readOnly = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  ["GET", "HEAD", "OPTIONS"].includes(method) || path.endsWith("/auth/tokens") || path.includes("/oauth/v2/")

/** Loose on purpose. */
export const jsonOf = (answer: Answer) => JSON.parse(answer.text)
