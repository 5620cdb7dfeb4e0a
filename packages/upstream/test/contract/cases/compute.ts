import { Effect } from "effect"
import { type Answer, idOf } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers } from "../outcome.ts"
import { Systems } from "../Systems.ts"

/** The id of a keypair counts all that there ever were. */
const numberless = (answer: Answer): Answer => ({
  ...answer,
  json: JSON.parse(JSON.stringify(answer.json ?? null).replace(/"id":\d+/, '"id":"number"'))
})

/** What the gateway only forwards to Nova, beside servers. */
export const forwarded: Cases = {
  "keypairs: created once, conflicting, paged, removed twice": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl contract"
    const post = (keypair: object) => ask("tenant", "POST compute/os-keypairs", { json: { keypair } })
    return yield* answers({
      made: post({ name: named("key"), public_key: key }),
      again: post({ name: named("key"), public_key: key }),
      shown: Effect.map(ask("tenant", `GET compute/os-keypairs/${named("key")}`), numberless),
      byAnother: ask("other", `GET compute/os-keypairs/${named("key")}`),
      noKey: post({ name: named("bad"), public_key: "nonsense" }),
      emptyName: post({ name: "", public_key: key }),
      oddName: post({ name: "a/b", public_key: key }),
      removed: ask("tenant", `DELETE compute/os-keypairs/${named("key")}`),
      removedAgain: ask("tenant", `DELETE compute/os-keypairs/${named("key")}`)
    })
  }),

  "security groups and floating addresses by the old interface": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const group = yield* ask("tenant", "POST compute/os-security-groups", {
      json: { security_group: { name: named("old"), description: "old" } }
    })
    const id = idOf(group, "security_group")
    const rule = (rule: object) =>
      ask("tenant", "POST compute/os-security-group-rules", {
        json: {
          security_group_rule: { parent_group_id: id, ip_protocol: "tcp", from_port: 443, to_port: 443, ...rule }
        }
      })
    return yield* answers({
      group: Effect.succeed(group),
      rule: rule({ cidr: "192.0.2.0/24" }),
      ruleAgain: rule({ cidr: "192.0.2.0/24" }),
      badPorts: rule({ from_port: 2, to_port: 1, cidr: "192.0.2.0/24" }),
      badAddress: rule({ cidr: "nonsense" }),
      bareAddress: rule({ cidr: "203.0.113.7" }),
      everywhere: rule({ cidr: "everywhere/0" }),
      noGroup: rule({ parent_group_id: absent.uuid }),
      noAddress: ask("tenant", `GET compute/os-floating-ips/${absent.uuid}`),
      removed: ask("tenant", `DELETE compute/os-security-groups/${id}`),
      removedAgain: ask("tenant", `DELETE compute/os-security-groups/${id}`),
      newer: ask("tenant", "GET compute/os-security-groups", { headers: { "openstack-api-version": "compute 2.36" } })
    })
  })
}
