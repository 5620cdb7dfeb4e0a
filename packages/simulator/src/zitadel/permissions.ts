import { fixtures } from "../Fixtures.ts"
import { entry } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { notFound } from "./errors.ts"
import { message } from "./proto.ts"
import { callerOf, orgOf } from "./tokens.ts"

const users = [
  "user.read",
  "user.write",
  "user.delete",
  "user.grant.read",
  "user.grant.write",
  "user.grant.delete",
  "user.membership.read"
]

/** What the stock manager roles of an organization may do, as far as a gateway needs it. */
const permissions: Readonly<Record<string, ReadonlyArray<string>>> = {
  ORG_OWNER: ["org.read", "org.write", ...users, "project.read", "project.write", "project.role.read"],
  ORG_USER_MANAGER: ["org.read", ...users, "project.read", "project.role.read"],
  ORG_OWNER_VIEWER: [
    "org.read",
    "user.read",
    "user.grant.read",
    "user.membership.read",
    "project.read",
    "project.role.read"
  ]
}

/** The permissions of the caller in the organization. A caller without any gets an empty message, not a refusal. */
export const ownPermissions = (incoming: Incoming): Answer => {
  const caller = callerOf(incoming)
  if (!("userId" in caller)) return caller
  const member = orgOf(incoming) === fixtures.idp.orgId ? incoming.world.zitadel.members[caller.userId] : undefined
  const held = (member?.roles ?? []).flatMap((_) => entry(permissions, _) ?? [])
  return json(200, message({ result: [...new Set(held)] }))
}

export const searchRoles = ({ params, world }: Incoming): Answer => {
  const project = entry(world.zitadel.projects, params["id"])
  if (project === undefined) return notFound("QUERY-fk2fs", "Errors.Project.NotFound")
  const { roleKeys } = project
  return json(200, {
    details: message({ totalResult: String(roleKeys.length) }),
    ...message({ result: roleKeys.map((key) => ({ key })) })
  })
}
