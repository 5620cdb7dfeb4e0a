import { Effect } from "effect"
import { type Account, Administrator, polled, type Service } from "./Administrator.ts"
import { removeUser } from "./ObjectGateway.ts"

interface Listed {
  readonly id: string
  /** Where a service knows such. */
  readonly status?: string
}

/** What is listed under `key`, a page being more than a test ever makes. */
const listed = (account: Account, service: Service, path: string, key: string) =>
  Effect.map(account.read(service, path), (_): ReadonlyArray<Listed> => _[key])

/** Asks for the end of everything in a list, but for what is on its way already: it would begin anew. */
const removeAll = Effect.fnUntraced(function* (account: Account, service: Service, list: string, key: string) {
  const [path = ""] = list.split(/\/detail|\?/)
  const things = yield* listed(account, service, list, key)
  for (const { id, status } of things) {
    if (status !== "PENDING" && status !== "deleting") yield* account.ask("DELETE", service, `${path}/${id}`)
  }
  return `${things.length} of ${service}${list}`
})

/** Removes everything in a list, and waits until it is gone. Until then it is asked again: what it hangs on may go first. */
const cleared = Effect.fnUntraced(function* (account: Account, service: Service, list: string, key: string) {
  yield* polled(removeAll(account, service, list, key), (_) => _.startsWith("0 "))
})

/** Servers first, then what they held. */
const removeMachines = Effect.fnUntraced(function* (inside: Account, userId: string | undefined) {
  yield* cleared(inside, "compute", "/servers", "servers")
  yield* cleared(inside, "compute", "/os-server-groups", "server_groups")
  if (userId === undefined) return
  const own = { headers: { "openstack-api-version": "compute 2.10" } }
  const { keypairs } = yield* inside.read("compute", `/os-keypairs?user_id=${userId}`, own.headers)
  for (const { keypair } of keypairs) {
    const name = encodeURIComponent(keypair.name)
    yield* inside.ask("DELETE", "compute", `/os-keypairs/${name}?user_id=${userId}`, own)
  }
})

const removeVolumes = Effect.fnUntraced(function* (inside: Account) {
  yield* cleared(inside, "volume", "/os-volume-transfer", "transfers")
  yield* cleared(inside, "volume", "/snapshots/detail", "snapshots")
  // What was being connected when its story ended is held by nothing any more.
  for (const { id, status } of yield* listed(inside, "volume", "/volumes/detail", "volumes")) {
    if (status === "deleting") continue
    const body = { "os-reset_status": { status: "available", attach_status: "detached" } }
    yield* inside.ask("POST", "volume", `/volumes/${id}/action`, { body })
  }
  yield* cleared(inside, "volume", "/volumes/detail", "volumes")
})

/** The default group is listed once and never after its removal: listing it makes it again. */
const removeNetworks = Effect.fnUntraced(function* (inside: Account, projectId: string) {
  const of = `?project_id=${projectId}`
  yield* cleared(inside, "network", `/floatingips${of}`, "floatingips")
  for (const { id } of yield* listed(inside, "network", `/routers${of}`, "routers")) {
    const ports = `/ports?device_id=${id}&device_owner=network:router_interface`
    for (const port of yield* listed(inside, "network", ports, "ports")) {
      yield* inside.ask("PUT", "network", `/routers/${id}/remove_router_interface`, { body: { port_id: port.id } })
    }
  }
  for (const [kind, key] of [
    ["routers", "routers"],
    ["trunks", "trunks"],
    ["ports", "ports"],
    ["rbac-policies", "rbac_policies"],
    ["networks", "networks"],
    ["subnetpools", "subnetpools"],
    ["address-scopes", "address_scopes"]
  ] as const) {
    yield* cleared(inside, "network", `/${kind}${of}`, key)
  }
  yield* removeAll(inside, "network", `/security-groups${of}`, "security_groups")
  yield* removeAll(inside, "network", `/address-groups${of}`, "address_groups")
})

/** A deleted load balancer may be shown for a while. */
const removeLoadBalancers = Effect.fnUntraced(function* (inside: Account, projectId: string) {
  const balancers = Effect.map(
    inside.read("load-balancer", `/lbaas/loadbalancers?project_id=${projectId}`),
    (_): ReadonlyArray<{ readonly id: string; readonly provisioning_status: string }> =>
      _.loadbalancers.filter((one: { readonly provisioning_status: string }) => one.provisioning_status !== "DELETED")
  )
  const remove = Effect.gen(function* () {
    const left = yield* balancers
    for (const { id } of left) {
      yield* inside.ask("DELETE", "load-balancer", `/lbaas/loadbalancers/${id}?cascade=true`)
    }
    return left.length
  })
  yield* polled(remove, (left) => left === 0)
})

const removeSecrets = Effect.fnUntraced(function* (inside: Account) {
  for (const [kind, ref] of [
    ["containers", "container_ref"],
    ["orders", "order_ref"],
    ["secrets", "secret_ref"]
  ] as const) {
    const found = yield* inside.read("key-manager", `/v1/${kind}?limit=100`)
    for (const one of found[kind]) {
      yield* inside.ask("DELETE", "key-manager", `/v1/${kind}/${String(one[ref]).split("/").at(-1)}`)
    }
  }
})

/** So that no service keeps a row for a project that is gone. */
const removeQuotas = Effect.fnUntraced(function* (home: Account, projectId: string) {
  yield* home.ask("DELETE", "compute", `/os-quota-sets/${projectId}`)
  yield* home.ask("DELETE", "volume", `/os-quota-sets/${projectId}`)
  yield* home.ask("DELETE", "network", `/quotas/${projectId}`)
  yield* home.ask("DELETE", "load-balancer", `/lbaas/quotas/${projectId}`)
  yield* home.ask("DELETE", "dns", `/quotas/${projectId}`, { headers: { "x-auth-all-projects": "true" } })
})

/**
 * Takes a tenant away as administrator, with all that it has in the cloud, so
 * that the cloud is as before: in the order in which one thing stands on
 * another, and waiting for what goes slowly. May be repeated; what is gone is
 * gone. What does not go in time stops nothing but what would hide it, the
 * project and its user, and is a defect in the end. What the gateway keeps of
 * the tenant in its own tables stays.
 */
export const removeTenant = Effect.fnUntraced(function* (projectId: string) {
  const administrator = yield* Administrator
  if ((yield* administrator.ask("GET", "identity", `/projects/${projectId}`)).status === 404) return
  const inside = yield* administrator.in(projectId)
  const { users } = yield* administrator.read("identity", `/users?name=gw-${projectId}`)
  const userId: string | undefined = users[0]?.id

  const contents = yield* Effect.forEach(
    [
      Effect.andThen(removeMachines(inside, userId), removeVolumes(inside)),
      removeLoadBalancers(inside, projectId),
      cleared(inside, "dns", "/zones?limit=1000", "zones"),
      removeSecrets(inside),
      cleared(inside, "image", `/images?owner=${projectId}&limit=1000`, "images"),
      removeUser(projectId)
    ],
    Effect.exit,
    { concurrency: 3 }
  )
  yield* removeNetworks(inside, projectId)
  yield* removeQuotas(administrator, projectId)
  yield* Effect.forEach(contents, (_) => _, { discard: true })
  if (userId !== undefined) yield* administrator.ask("DELETE", "identity", `/users/${userId}`)
  yield* administrator.ask("DELETE", "identity", `/projects/${projectId}`)
})
