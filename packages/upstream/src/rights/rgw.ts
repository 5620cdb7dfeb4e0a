import { Config, Effect, Schema } from "effect"
import { adminOf } from "../rgw/admin.ts"
import type { Missing, Rights } from "./Missing.ts"

const Caps = Schema.Struct({ caps: Schema.Array(Schema.Struct({ type: Schema.String, perm: Schema.String })) })
type Cap = (typeof Caps.Type)["caps"][number]

/** What RGW calls capabilities. `users=*` is to read and to write. */
const needed = [
  { type: "users", perms: ["read", "write"], text: "users=*" },
  { type: "buckets", perms: ["read", "write"], text: "buckets=*" },
  { type: "usage", perms: ["read"], text: "usage=read" }
] as const

const holds = (caps: ReadonlyArray<Cap>, type: string, perm: string): boolean =>
  caps.some((_) => _.type === type && (_.perm === "*" || _.perm.split(/,\s*/).includes(perm)))

/** The capabilities of the user that RGW_ACCESS_KEY belongs to, as the object gateway itself lists them. */
export const rgwRights = Effect.gen(function* () {
  const { get, system } = yield* adminOf
  const accessKey = yield* Config.String("RGW_ACCESS_KEY")
  const rights: Rights = Effect.map(
    system.write("find own user", get({ "access-key": accessKey }), Caps),
    ({ caps }): ReadonlyArray<Missing> =>
      needed.flatMap(({ perms, text, type }) =>
        perms.every((_) => holds(caps, type, _))
          ? []
          : [
              {
                what: `the capability ${text} of the user of RGW_ACCESS_KEY`,
                fix: `Give it: radosgw-admin caps add --uid=<its user> --caps="${text}"`
              }
            ]
      )
  )
  return { "object-storage": rights }
})
