import { assert, describe, it } from "@effect/vitest"
import { BadGateway } from "@portico/contract/Failures"
import type { PlatformCall } from "@portico/gateway/proxy/rules/Rule"
import { worldOpenSsh } from "@portico/gateway/proxy/rules/worldOpenSsh"
import { Effect } from "effect"
import { ask, callOf, judge, type Read } from "./judge.ts"
import { anId } from "./Spelling.ts"
import { openRule } from "./worldOpenSsh.spellings.ts"

const { remote_ip_prefix: _, ...unlimited } = openRule
const fromGroup = (id: string, more: object = {}) => ({ ...unlimited, remote_address_group_id: id, ...more })
const post = { method: "POST", path: "/network/security-group-rules" }

/** Address groups by id, and what was read of them. */
const groupsOf = (groups: Readonly<Record<string, unknown>>) => {
  const asked: Array<string> = []
  const read: Read = (segments) => {
    asked.push(segments.join("/"))
    return Effect.succeed(groups[segments[1] ?? ""])
  }
  return { asked, read }
}

const group = (...addresses: ReadonlyArray<unknown>) => ({ address_group: { id: anId, addresses } })

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

describe("a rule whose source is an address group", () => {
  const contents: ReadonlyArray<readonly [what: string, found: unknown, expected: "allowed" | "world_open_ssh"]> = [
    ["is open when an address of the group is every address", group("10.0.0.0/8", "0.0.0.0/0"), "world_open_ssh"],
    ["is open in IPv6 too", group("::/0"), "world_open_ssh"],
    ["is as narrow as the group", group("10.0.0.0/8", "2001:db8::/32"), "allowed"],
    ["admits no address when the group is empty", group(), "allowed"],
    ["is left for Neutron to refuse when the group does not exist", undefined, "allowed"],
    ["counts as open when the group cannot be understood", { address_group: { id: anId } }, "world_open_ssh"],
    ["counts as open when the answer is something else", "a page", "world_open_ssh"],
    ["counts as open when an address is not text", group(null), "world_open_ssh"]
  ]
  for (const [what, found, expected] of contents) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { asked, read } = groupsOf({ [anId]: found })
        const said = yield* judge({ ...post, body: { security_group_rule: fromGroup(anId) } }, "machine", read)
        assert.strictEqual(said, expected)
        assert.deepStrictEqual(asked, [`address-groups/${anId}`])
      })
    )
  }

  it.effect("is open when its prefix is, although its group is narrow", () =>
    Effect.gen(function* () {
      const { read } = groupsOf({ [anId]: group("10.0.0.0/8") })
      const body = { security_group_rule: fromGroup(anId, { remote_ip_prefix: "0.0.0.0/0" }) }
      assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "world_open_ssh")
    })
  )

  it.effect("is open when its group is, although its prefix is narrow", () =>
    Effect.gen(function* () {
      const { read } = groupsOf({ [anId]: group("0.0.0.0/0") })
      const body = { security_group_rule: fromGroup(anId, { remote_ip_prefix: "10.0.0.0/8" }) }
      assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "world_open_ssh")
    })
  )

  it.effect("is read only when it would admit SSH", () =>
    Effect.gen(function* () {
      const { asked, read } = groupsOf({ [anId]: group("0.0.0.0/0") })
      const narrow = [
        { direction: "egress" },
        { protocol: "udp" },
        { port_range_min: 443, port_range_max: 443 },
        { remote_group_id: anId }
      ]
      for (const more of narrow) {
        const body = { security_group_rule: fromGroup(anId, more) }
        assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "allowed", JSON.stringify(more))
      }
      const query = "allow_ssh_from_anywhere=true"
      const overridden = { ...post, query, body: { security_group_rule: fromGroup(anId) } }
      assert.strictEqual(yield* judge(overridden, "machine", read), "allowed")
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is read once for many rules of a request", () =>
    Effect.gen(function* () {
      const { asked, read } = groupsOf({ [anId]: group("10.0.0.0/8") })
      const body = { security_group_rules: Array.from({ length: 50 }, () => fromGroup(anId)) }
      assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "allowed")
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("one request makes sixteen reads at most, and is refused when it names more groups", () =>
    Effect.gen(function* () {
      const rulesOf = (count: number) => ({
        security_group_rules: Array.from({ length: count }, (_, n) => fromGroup(idOf(n)))
      })
      const narrow = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [idOf(n), group("10.0.0.0/8")]))
      const few = groupsOf(narrow)
      assert.strictEqual(yield* judge({ ...post, body: rulesOf(16) }, "machine", few.read), "allowed")
      assert.lengthOf(few.asked, 16)
      const many = groupsOf(narrow)
      assert.strictEqual(yield* judge({ ...post, body: rulesOf(17) }, "machine", many.read), "world_open_ssh")
      assert.lengthOf(many.asked, 0)
    })
  )

  it.effect("the last of many groups is read too", () =>
    Effect.gen(function* () {
      const { read } = groupsOf({ [idOf(0)]: group("10.0.0.0/8"), [idOf(1)]: group("::/0") })
      const body = { security_group_rules: [fromGroup(idOf(0)), fromGroup(idOf(1))] }
      assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "world_open_ssh")
    })
  )

  it.effect("a malformed id is not read", () =>
    Effect.gen(function* () {
      for (const id of [
        "x",
        "../auto-allocated-topology/null",
        `${anId} `,
        `${anId}/x`,
        anId.replaceAll("-", ""),
        [anId],
        7
      ]) {
        const { asked, read } = groupsOf({})
        const body = { security_group_rule: { ...unlimited, remote_address_group_id: id } }
        assert.strictEqual(yield* judge({ ...post, body }, "machine", read), "world_open_ssh", String(id))
        assert.deepStrictEqual(asked, [])
      }
    })
  )

  it.effect("an unreadable group is a 502, not a permission", () =>
    Effect.gen(function* () {
      const broken: PlatformCall["read"] = () => BadGateway.upstream("network: no answer", true)
      const failure = yield* ask(worldOpenSsh, callOf(post, "machine", broken), {
        security_group_rule: fromGroup(anId)
      }).pipe(Effect.flip)
      assert.deepStrictEqual(failure, BadGateway.upstream("network: no answer", true))
    })
  )
})
