import { entry, objectAt, stringAt, stringsAt } from "../Json.ts"
import { fixtures } from "../Fixtures.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import type { World } from "../World.ts"
import { alreadyExists, failedPrecondition, invalidArgument, notFound } from "./errors.ts"
import {
  details,
  itemsAt,
  message,
  newId,
  nextSequence,
  page,
  projected,
  projectionLagMillis,
  textQuery,
  written
} from "./proto.ts"
import type { Grant, Project, User } from "./state.ts"

const unknownRole = (project: Project, roleKeys: ReadonlyArray<string>): Answer | undefined =>
  roleKeys.every((_) => project.roleKeys.includes(_))
    ? undefined
    : failedPrecondition("COMMAND-mm9F4", "Errors.Project.Role.NotFound")

export const createGrant = ({ json: body, now, world }: Incoming, user: User): Answer => {
  const given = objectAt(body)
  const projectId = stringAt(given, "projectId") ?? ""
  if (projectId === "") return invalidArgument("COMMAND-kVfMa", "Errors.UserGrant.Invalid")
  const project = entry(world.zitadel.projects, projectId)
  if (project === undefined) return failedPrecondition("COMMAND-3n77S", "Errors.Project.NotFound")
  const roleKeys = stringsAt(given, "roleKeys") ?? []
  const refused = unknownRole(project, roleKeys)
  if (refused !== undefined) return refused
  if (Object.values(world.zitadel.grants).some((_) => _.userId === user.id && _.projectId === projectId)) {
    return alreadyExists("V3-DKcYh", "Errors.UserGrant.AlreadyExists")
  }
  const grant: Grant = {
    id: newId(world),
    userId: user.id,
    projectId,
    roleKeys,
    state: "USER_GRANT_STATE_ACTIVE",
    createdAt: now,
    changedAt: now,
    sequence: nextSequence(world)
  }
  world.zitadel.grants[grant.id] = grant
  return json(200, { userGrantId: grant.id, details: details(grant) })
}

export const ofGrant =
  (handler: (incoming: Incoming, grant: Grant) => Answer) =>
  (incoming: Incoming): Answer => {
    const grant = entry(incoming.world.zitadel.grants, incoming.params["grantId"])
    return grant === undefined || grant.userId !== incoming.params["id"]
      ? notFound("COMMAND-3M9sd", "Errors.UserGrant.NotFound")
      : handler(incoming, grant)
  }

/** Replaces the set of roles; an equal set is refused. */
export const updateGrant = (incoming: Incoming, grant: Grant): Answer => {
  const roleKeys = stringsAt(objectAt(incoming.json), "roleKeys") ?? []
  if (roleKeys.length === grant.roleKeys.length && roleKeys.every((_, i) => _ === grant.roleKeys[i])) {
    return failedPrecondition("COMMAND-Rs8fy", "Errors.UserGrant.NotChanged")
  }
  const project = incoming.world.zitadel.projects[grant.projectId]
  const refused = project && unknownRole(project, roleKeys)
  if (refused !== undefined) return refused
  grant.before = { roleKeys: shownRoles(grant, incoming.now), until: incoming.now + projectionLagMillis }
  grant.roleKeys = roleKeys
  return written(incoming, grant)
}

export const deleteGrant = (incoming: Incoming, grant: Grant): Answer => {
  delete incoming.world.zitadel.grants[grant.id]
  return written(incoming, grant)
}

const moveGrant = (from: Grant["state"], to: Grant["state"], refused: Answer) =>
  ofGrant((incoming, grant) => {
    if (grant.state !== from) return refused
    grant.state = to
    return written(incoming, grant)
  })

export const deactivateGrant = moveGrant(
  "USER_GRANT_STATE_ACTIVE",
  "USER_GRANT_STATE_INACTIVE",
  failedPrecondition("COMMAND-1S9gx", "Errors.UserGrant.NotActive")
)

export const reactivateGrant = moveGrant(
  "USER_GRANT_STATE_INACTIVE",
  "USER_GRANT_STATE_ACTIVE",
  failedPrecondition("COMMAND-1ML0v", "Errors.UserGrant.NotInactive")
)

/** The roles that a search returns: the previous ones until the projection has caught up. */
const shownRoles = (grant: Grant, now: number): ReadonlyArray<string> =>
  grant.before !== undefined && now < grant.before.until ? grant.before.roleKeys : grant.roleKeys

const showGrant = (world: World, now: number) => (grant: Grant) => {
  const user = world.zitadel.users[grant.userId]
  const human = user?.type === "TYPE_HUMAN" ? user : undefined
  return message({
    id: grant.id,
    details: details(grant),
    roleKeys: shownRoles(grant, now),
    state: grant.state,
    userId: grant.userId,
    userName: user?.userName,
    firstName: human?.firstName,
    lastName: human?.lastName,
    email: human?.email,
    displayName: human?.displayName ?? (user?.type === "TYPE_MACHINE" ? user.name : undefined),
    orgId: fixtures.idp.orgId,
    projectId: grant.projectId,
    projectName: world.zitadel.projects[grant.projectId]?.name,
    preferredLoginName: user?.userName,
    userType: user?.type
  })
}

type Test = (grant: Grant) => boolean

/** Every element of `queries` must match; an unknown element is refused. */
const testOf = (world: World, now: number, query: unknown): Test | undefined => {
  const [key = ""] = Object.keys(objectAt(query))
  const given = objectAt(query, key)
  const userOf = (grant: Grant) => world.zitadel.users[grant.userId]
  if (key === "userIdQuery") return (_) => _.userId === stringAt(given, "userId")
  if (key === "projectIdQuery") return (_) => _.projectId === stringAt(given, "projectId")
  if (key === "roleKeyQuery") {
    const test = textQuery(given, "roleKey")
    return test && ((_) => shownRoles(_, now).some(test))
  }
  if (key === "userNameQuery") {
    const test = textQuery(given, "userName")
    return test && ((_) => test(userOf(_)?.userName ?? ""))
  }
  if (key === "emailQuery") {
    const test = textQuery(given, "email")
    return (
      test &&
      ((_) => {
        const user = userOf(_)
        return user?.type === "TYPE_HUMAN" && test(user.email)
      })
    )
  }
  return undefined
}

export const searchGrants = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const tests = itemsAt(objectAt(incoming.json), "queries").map((_) => testOf(world, now, _))
  if (tests.includes(undefined)) return invalidArgument("USER-Ee3vW", "List.Query.Invalid")
  const found = Object.values(world.zitadel.grants)
    .filter(projected(now))
    .filter((grant) => tests.every((test) => test?.(grant)))
  return page(incoming, found, showGrant(world, now))
}
