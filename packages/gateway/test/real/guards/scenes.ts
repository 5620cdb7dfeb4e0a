import { Effect } from "effect"
import { polled } from "../Administrator.ts"
import { told as toldOf } from "../told.ts"
import { anId } from "../../rules/Spelling.ts"
import { withIds } from "./Attempt.ts"
import type { Scene } from "./examined.ts"
import { Offender } from "./Offender.ts"

interface Rule {
  readonly id: string
  readonly direction: string
  readonly protocol: string | null
  readonly port_range_min: number | null
  readonly port_range_max: number | null
  readonly normalized_cidr: string | null
  readonly remote_group_id: string | null
  readonly remote_address_group_id: string | null
}

/** As Neutron shows a rule; protocol 0 is none of its own to a firewall of iptables. */
const admitsSshFromEverywhere = (rule: Rule): boolean =>
  rule.direction === "ingress" &&
  rule.remote_group_id === null &&
  rule.remote_address_group_id === null &&
  (rule.normalized_cidr === null || rule.normalized_cidr.endsWith("/0")) &&
  (rule.protocol === null || ["tcp", "6", "0", "ip", "hopopt"].includes(rule.protocol.toLowerCase())) &&
  (rule.port_range_min ?? 0) <= 22 &&
  22 <= (rule.port_range_max ?? 65535)

/** A security group; attempts name it. */
export const group: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done } = yield* Offender
  const { security_group } = yield* done("POST", "network", "/security-groups", { security_group: { name: "guards" } })
  const id = String(security_group.id)
  const list = `/security-group-rules?security_group_id=${id}&direction=ingress`
  let last: ReadonlyArray<Rule> = []
  return {
    fill: (attempt) => withIds(attempt, { path: id }),
    stands: Effect.map(done("GET", "network", list), (_) => {
      last = _.security_group_rules
      return last.some(admitsSshFromEverywhere)
    }),
    undone: Effect.suspend(() =>
      Effect.forEach(last, (_) => done("DELETE", "network", `/security-group-rules/${_.id}`))
    )
  }
})

interface Group {
  readonly id: string
  readonly addresses: ReadonlyArray<string>
}

/** An address group; attempts name it. */
export const addresses: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { directly, done, tenant } = yield* Offender
  const { address_group } = yield* done("POST", "network", "/address-groups", { address_group: { name: "guards" } })
  const list = `/address-groups?project_id=${tenant.projectId}`
  const groups = Effect.map(done("GET", "network", list), (_): ReadonlyArray<Group> => _.address_groups)
  const one = `/address-groups/${address_group.id}`
  return {
    fill: (attempt) => withIds(attempt, { path: address_group.id }),
    stands: Effect.map(groups, (_) => _.some(({ addresses }) => addresses.some((_) => _.endsWith("/0")))),
    undone: Effect.gen(function* () {
      for (const { addresses, id } of yield* groups) {
        if (id !== address_group.id) yield* directly("DELETE", "network", `/address-groups/${id}`)
        else if (addresses.length > 0) {
          yield* directly("PUT", "network", `${one}/remove_addresses`, { body: { addresses } })
        }
      }
    })
  }
})

interface Router {
  readonly id: string
  readonly external_gateway_info: object | null
}

/** A router without a gateway. To set one takes Neutron long, but that there is no such network it says at once, to whoever would. */
export const router: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done, tenant } = yield* Offender
  const made = yield* done("POST", "network", "/routers", { router: { name: "guards" } })
  const bare = String(made.router.id)
  return {
    fill: (attempt) => withIds(attempt, { path: bare, body: anId }),
    told: ({ status, text }) => status === 404 && text.includes("NetworkNotFound"),
    undone: Effect.gen(function* () {
      const { routers } = yield* done("GET", "network", `/routers?project_id=${tenant.projectId}&fields=id`)
      for (const { id } of routers) {
        if (id !== bare && id !== tenant.routerId) yield* done("DELETE", "network", `/routers/${id}`)
      }
    })
  }
})

/** A router without a gateway, and one with; attempts name the one that they would change. */
export const routers: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done, publicNetworkId, tenant } = yield* Offender
  const info = { external_gateway_info: { network_id: publicNetworkId } }
  const router = (more: object) =>
    Effect.map(done("POST", "network", "/routers", { router: { name: "guards", ...more } }), (_) => String(_.router.id))
  const bare = yield* router({})
  const uplinked = yield* router(info)
  const all = Effect.map(
    done("GET", "network", `/routers?project_id=${tenant.projectId}`),
    (_): ReadonlyArray<Router> => _.routers.filter(({ id }: Router) => id !== tenant.routerId)
  )
  const isWrong = ({ external_gateway_info: info, id }: Router): boolean => (info === null) === (id === uplinked)
  return {
    fill: (attempt) =>
      withIds(attempt, { path: String(attempt.body).includes("network_id") ? bare : uplinked, body: publicNetworkId }),
    stands: Effect.map(all, (_) => _.some(isWrong)),
    undone: Effect.gen(function* () {
      for (const { external_gateway_info, id } of yield* all) {
        if (id !== bare && id !== uplinked) yield* done("DELETE", "network", `/routers/${id}`)
        else if (isWrong({ id, external_gateway_info })) {
          const router = id === uplinked ? info : { external_gateway_info: null }
          yield* done("PUT", "network", `/routers/${id}`, { router })
        }
      }
    })
  }
})

interface Port {
  readonly id: string
}

/** A network of its own with a port on it. Whoever looks for ports of the network itself finds them in the database's way. */
export const ports: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { directly, done } = yield* Offender
  const { network } = yield* done("POST", "network", "/networks", { network: { name: "guards" } })
  const mine = { port: { network_id: network.id } }
  const { port } = yield* done("POST", "network", "/ports", mine)
  const found = (query: string) =>
    Effect.map(done("GET", "network", `/ports?network_id=${network.id}${query}`), (_): ReadonlyArray<Port> => _.ports)
  const owners = ["router_gateway", "router_interface", "dhcp", "", "x"].map((_) => `&device_owner=network:${_}`)
  return {
    fill: (attempt) => withIds(attempt, { path: port.id, body: network.id }),
    stands: Effect.map(found(owners.join("")), (_) => _.length > 0),
    undone: Effect.gen(function* () {
      yield* directly("PUT", "network", `/ports/${port.id}`, { body: { port: { device_owner: "", device_id: "" } } })
      for (const { id } of yield* found("")) {
        if (id !== port.id) yield* directly("DELETE", "network", `/ports/${id}`)
      }
    })
  }
})

/** Whoever may have a topology is told what is missing for it, or whose it may be; another path is not there. */
export const topology: Effect.Effect<Scene, never, Offender> = Effect.map(Offender, ({ tenant }) => ({
  fill: (attempt) => withIds(attempt, { path: tenant.projectId }),
  told: ({ text }) => /AutoAllocationFailure|NotAuthorized/.test(text)
}))

/**
 * More servers than any quota has, so that there is none in the end. Where the
 * project has no network Nova would make up a topology first; here it has some,
 * which Nova finds too many, or too small. What is no network to it is refused
 * before that.
 */
export const servers: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done } = yield* Offender
  const { flavors } = yield* done("GET", "compute", "/flavors")
  const { images } = yield* done("GET", "image", `/images?name=${toldOf("REAL_CLOUD_IMAGE")}`)
  return {
    fill: ({ body, ...attempt }) => ({
      ...attempt,
      ...(typeof body === "string"
        ? { body: body.replaceAll("FLAVOR", flavors[0].id).replaceAll("IMAGE", images[0].id) }
        : {})
    }),
    told: ({ text }) => /Quota exceeded|Maximum number of ports|Multiple possible networks/.test(text)
  }
})

/** An image without data. Locations are switched off, as they are in a stock Glance, which says so to whoever writes one. */
export const image: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done } = yield* Offender
  const made = yield* done("POST", "image", "/images", { name: "guards" })
  return {
    fill: (attempt) => withIds(attempt, { path: made.id }),
    told: ({ text }) =>
      /locations if locations are invisible|Attribute &?.{0,5}(locations|direct_url)&?.{0,5} is (reserved|read-only)/.test(
        text
      )
  }
})

const payload = "guards keep this to themselves"

/** A secret with a payload. */
export const secret: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done } = yield* Offender
  const made = yield* done("POST", "key-manager", "/v1/secrets", {
    name: "guards",
    payload,
    payload_content_type: "text/plain"
  })
  const id = String(made.secret_ref).split("/").at(-1) ?? ""
  return { fill: (attempt) => withIds(attempt, { path: id }), told: ({ text }) => text.includes(payload) }
})

/** A volume, which has to be made before it can be removed again. */
export const volume: Effect.Effect<Scene, never, Offender> = removable(
  Effect.gen(function* () {
    const { done } = yield* Offender
    const { volume } = yield* done("POST", "volume", "/volumes", { volume: { size: 1 } })
    yield* polled(done("GET", "volume", `/volumes/${volume.id}`), (_) => _.volume.status === "available")
    return String(volume.id)
  }),
  (id) =>
    Effect.gen(function* () {
      const answer = yield* (yield* Offender).directly("GET", "volume", `/volumes/${id}`)
      return answer.status === 200 && !answer.text.includes('"deleting"')
    })
)

/** A volume whose storage is asked how to connect to it: a good answer says so. */
export const storage: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { directly, done } = yield* Offender
  const { volume } = yield* done("POST", "volume", "/volumes", { volume: { size: 1 } })
  yield* polled(done("GET", "volume", `/volumes/${volume.id}`), (_) => _.volume.status === "available")
  return {
    fill: (attempt) => withIds(attempt, { path: volume.id }),
    told: ({ status, text }) => status < 300 && text.includes("driver_volume_type"),
    undone: directly("POST", "volume", `/volumes/${volume.id}/action`, {
      body: { "os-terminate_connection": { connector: { host: "guards", initiator: "iqn.2026-01.example:guards" } } }
    })
  }
})

/**
 * An image that waits for its data. Glance accepts the import of an address
 * with a 202, or tells that this way is switched off, or its address not
 * allowed, only when it was about to look at it.
 */
export const download: Effect.Effect<Scene, never, Offender> = Effect.gen(function* () {
  const { done } = yield* Offender
  const made = yield* done("POST", "image", "/images", {
    name: "guards",
    disk_format: "raw",
    container_format: "bare"
  })
  return {
    fill: (attempt) => withIds(attempt, { path: made.id }),
    told: ({ status, text }) =>
      status === 202 || /Unknown import method name|URI for web-download does not pass filtering/.test(text)
  }
})

/** A zone. It is slow to go, and keeps the name servers busy. */
export const zone: Effect.Effect<Scene, never, Offender> = removable(
  Effect.suspend(() => newZone),
  (id) =>
    Effect.gen(function* () {
      const answer = yield* (yield* Offender).directly("GET", "dns", `/zones/${id}`)
      return answer.status === 200 && !answer.text.includes('"action": "DELETE"')
    })
)

export const newZone = Effect.gen(function* () {
  const { done } = yield* Offender
  const name = `guards-${crypto.randomUUID()}.example.`
  return String((yield* done("POST", "dns", "/zones", { name, email: "guards@example.org" })).id)
})

/** An offer of a zone to somebody else, which is a row and no more. */
export const offer: Effect.Effect<Scene, never, Offender> = Effect.flatMap(
  Effect.suspend(() => newZone),
  (zone) =>
    removable(
      Effect.gen(function* () {
        const { done } = yield* Offender
        return String((yield* done("POST", "dns", `/zones/${zone}/tasks/transfer_requests`, {})).id)
      }),
      (id) => isThere("dns", `/zones/tasks/transfer_requests/${id}`)
    )
)

/** An image that can go. */
export const passingImage: Effect.Effect<Scene, never, Offender> = removable(
  Effect.gen(function* () {
    return String((yield* (yield* Offender).done("POST", "image", "/images", { name: "guards" })).id)
  }),
  (id) => isThere("image", `/images/${id}`)
)

/** A security group that can go. */
export const passingGroup: Effect.Effect<Scene, never, Offender> = removable(
  Effect.gen(function* () {
    const { done } = yield* Offender
    const made = yield* done("POST", "network", "/security-groups", { security_group: { name: "guards" } })
    return String(made.security_group.id)
  }),
  (id) => isThere("network", `/security-groups/${id}`)
)

/** A floating IP. */
export const address: Effect.Effect<Scene, never, Offender> = removable(
  Effect.gen(function* () {
    const { done, publicNetworkId } = yield* Offender
    const made = yield* done("POST", "network", "/floatingips", {
      floatingip: { floating_network_id: publicNetworkId }
    })
    return String(made.floatingip.id)
  }),
  (id) => isThere("network", `/floatingips/${id}`)
)

/** A server that the fake hypervisor never has to start. */
export const server: Effect.Effect<Scene, never, Offender> = removable(
  Effect.gen(function* () {
    const { directly, done } = yield* Offender
    const { flavors } = yield* done("GET", "compute", "/flavors")
    const { images } = yield* done("GET", "image", `/images?name=${toldOf("REAL_CLOUD_IMAGE")}`)
    const made = yield* directly("POST", "compute", "/servers", {
      headers: { "openstack-api-version": "compute 2.90" },
      body: { server: { name: "guards", flavorRef: flavors[0].id, imageRef: images[0].id, networks: "none" } }
    })
    const id: string = JSON.parse(made.text).server.id
    yield* polled(done("GET", "compute", `/servers/${id}`), (_) => _.server.status !== "BUILD")
    return id
  }),
  (id) =>
    Effect.gen(function* () {
      const answer = yield* (yield* Offender).directly("GET", "compute", `/servers/${id}`)
      return (
        answer.status === 200 && !answer.text.includes('task_state": "deleting"') && !answer.text.includes("DELETED")
      )
    })
)

const isThere = Effect.fnUntraced(function* (service: string, path: string) {
  return (yield* (yield* Offender).directly("GET", service, path)).status === 200
})

/** Something that attempts want to be gone; another takes its place when it is. */
function removable(
  made: Effect.Effect<string, never, Offender>,
  isStillThere: (id: string) => Effect.Effect<boolean, never, Offender>
): Effect.Effect<Scene, never, Offender> {
  return Effect.gen(function* () {
    const context = yield* Effect.context<Offender>()
    let id = yield* made
    return {
      fill: (attempt) => withIds(attempt, { path: id }),
      stands: Effect.suspend(() => Effect.map(isStillThere(id), (_) => !_)).pipe(Effect.provide(context)),
      undone: Effect.suspend(() =>
        Effect.flatMap(isStillThere(id), (there) =>
          there
            ? Effect.void
            : Effect.map(made, (fresh) => {
                id = fresh
              })
        )
      ).pipe(Effect.provide(context))
    }
  })
}
