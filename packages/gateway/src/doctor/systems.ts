import { AdminRole } from "@portico/domain/access/AdminRole"
import { tenantRole } from "@portico/domain/credentials/machineUser"
import { InvitedRole } from "@portico/contract/Org"
import { Probes, type Probed } from "@portico/upstream/Probes"
import type { Missing } from "@portico/upstream/rights/Missing"
import { rightsWith } from "@portico/upstream/rights/rights"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { type Check, failed, type Finding, ok, skipped } from "./Check.ts"

/** Each component's system, and the settings that say where it is. */
const systems: Readonly<Record<string, readonly [words: string, settings: string]>> = {
  identity: ["Keystone", "IAAS_IDENTITY_URL"],
  compute: ["Nova", "IAAS_COMPUTE_URL"],
  network: ["Neutron", "IAAS_NETWORK_URL"],
  volume: ["Cinder", "IAAS_VOLUME_URL"],
  image: ["Glance", "IAAS_IMAGE_URL"],
  "load-balancer": ["Octavia", "IAAS_LOAD_BALANCER_URL"],
  dns: ["Designate", "IAAS_DNS_URL"],
  "key-manager": ["Barbican", "IAAS_KEY_MANAGER_URL"],
  "object-storage": ["Ceph RGW", "RGW_URL"],
  "identity-provider": ["Zitadel", "AUTH_URL"],
  kubernetes: ["Kubernetes", "KUBERNETES_URL"],
  billing: ["the billing service", "BILLING_URL"],
  monitoring: ["Prometheus", "MONITORING_URL"]
}

/** The names of {@link systemChecks}. */
export const systemNames: ReadonlyArray<string> = Object.keys(systems)

const systemOf = (component: string): readonly [words: string, settings: string] =>
  systems[component] ?? [component, "its address"]

const failure = (component: string, error: UpstreamError, credentials: ReadonlyArray<string>): Finding => {
  const [words, address] = systemOf(component)
  if (error.status === 401 || error.status === 403) {
    return failed(`${words} refuses the gateway's credentials: ${error.summary}`, `Check ${credentials.join(", ")}`)
  }
  return failed(
    `${words} cannot be used: ${error.summary}`,
    error.status === null || error.status >= 500
      ? `Look whether ${words} works, and whether ${address} is reached from here`
      : `Look whether ${address} is the address of ${words}${component === "key-manager" ? "" : ", with its version"}`
  )
}

const lack = (component: string, { fix, what }: Missing): Finding =>
  failed(`${systemOf(component)[0]} answers, but onboarding lacks ${what}`, fix)

/** The roles of the API's project that users are given. */
const roles = Effect.map(AdminRole, ({ key }) => [
  ...new Set([tenantRole, ...InvitedRole.literals.filter((_) => _ !== "admin"), key])
])

const componentCheck = (
  { component, probes }: Probed,
  rights: Effect.Effect<ReadonlyArray<Missing>, UpstreamError> | undefined
): Check<never> => {
  const [words] = systemOf(component)
  const reads = Effect.forEach(
    probes,
    ({ credentials, read }) =>
      Effect.match(read, { onFailure: (_) => [failure(component, _, credentials)], onSuccess: () => [] }),
    { concurrency: "unbounded" }
  )
  const may = (rights ?? Effect.succeed([])).pipe(
    Effect.match({
      onFailure: (_) => [failure(component, _, probes[0]?.credentials ?? [])],
      onSuccess: (missing) => missing.map((_) => lack(component, _))
    })
  )
  return {
    name: component,
    run: Effect.gen(function* () {
      const failures = (yield* reads).flat()
      if (failures.length > 0) return failures
      const missing = yield* may
      if (missing.length > 0) return missing
      return [ok(rights === undefined ? `${words} answers` : `${words} answers, and has the rights for onboarding`)]
    })
  }
}

/** A check of each system behind the gateway: the read of its readiness probe, and then the rights for onboarding. */
export const systemChecks = Effect.gen(function* () {
  const { absent, systems } = yield* Probes
  const rights = yield* rightsWith(yield* roles)
  return [
    ...systems.map((_) => componentCheck(_, rights[_.component])),
    ...absent.map((name): Check<never> => ({ name, run: Effect.succeed([skipped("this cloud does not have it")]) }))
  ]
})
