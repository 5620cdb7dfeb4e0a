import { entry, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { invalidArgument, notFound } from "./errors.ts"
import { itemsAt, message, page, projected, textQuery } from "./proto.ts"
import type { User } from "./state.ts"
import { showUser } from "./users.ts"

type Test = (user: User) => boolean

const emailOf = (user: User): string => (user.type === "TYPE_HUMAN" ? user.email : "")
const displayNameOf = (user: User): string => (user.type === "TYPE_HUMAN" ? user.displayName : user.name)
const every = (tests: ReadonlyArray<Test | undefined>, some: boolean): Test | undefined => {
  const known = tests.filter((_) => _ !== undefined)
  if (known.length < tests.length) return undefined
  return (user) => (some ? known.some((_) => _(user)) : known.every((_) => _(user)))
}

const texts: Readonly<Record<string, readonly [field: string, read: (user: User) => string]>> = {
  userNameQuery: ["userName", (_) => _.userName],
  loginNameQuery: ["loginName", (_) => _.userName],
  displayNameQuery: ["displayName", displayNameOf],
  firstNameQuery: ["firstName", (_) => (_.type === "TYPE_HUMAN" ? _.firstName : "")],
  lastNameQuery: ["lastName", (_) => (_.type === "TYPE_HUMAN" ? _.lastName : "")],
  nickNameQuery: ["nickName", (_) => (_.type === "TYPE_HUMAN" ? _.nickName : "")],
  emailQuery: ["emailAddress", emailOf]
}

/** A test of one element of `queries`; undefined for an unknown element, which Zitadel refuses. */
const testOf = (query: unknown): Test | undefined => {
  const [key = ""] = Object.keys(objectAt(query))
  const given = objectAt(query, key)
  const text = entry(texts, key)
  if (text !== undefined) {
    const [field, read] = text
    const test = textQuery(given, field)
    return test && ((user) => test(read(user)))
  }
  if (key === "typeQuery") return (_) => _.type === stringAt(given, "type")
  if (key === "stateQuery") return (_) => _.state === stringAt(given, "state")
  if (key === "inUserIdsQuery") {
    const ids = new Set(stringsAt(given, "userIds"))
    return (_) => ids.has(_.id)
  }
  if (key === "inUserEmailsQuery") return (_) => stringsAt(given, "userEmails")?.includes(emailOf(_)) === true
  if (key === "orQuery") return every(itemsAt(given, "queries").map(testOf), true)
  if (key === "andQuery") return every(itemsAt(given, "queries").map(testOf), false)
  return undefined
}

const columns: Readonly<Record<string, (user: User) => string>> = {
  USER_FIELD_NAME_USER_NAME: (_) => _.userName.toLowerCase(),
  USER_FIELD_NAME_DISPLAY_NAME: displayNameOf,
  USER_FIELD_NAME_EMAIL: emailOf,
  USER_FIELD_NAME_CREATION_DATE: (_) => String(_.createdAt).padStart(16, "0")
}

/** The candidates: the users with the given ids, if any, otherwise all. */
const candidates = ({ json: body, world: { zitadel } }: Incoming): ReadonlyArray<User> => {
  const [asked] = itemsAt(objectAt(body), "queries").filter((_) => "inUserIdsQuery" in objectAt(_))
  return asked === undefined
    ? Object.values(zitadel.users)
    : [...new Set(stringsAt(objectAt(asked, "inUserIdsQuery"), "userIds"))].flatMap(
        (_) => entry(zitadel.users, _) ?? []
      )
}

/** All `queries` must match. Recently created users are missing, see `projectionLagMillis`. */
export const searchUsers = (incoming: Incoming): Answer => {
  const given = objectAt(incoming.json)
  const test = every(itemsAt(given, "queries").map(testOf), false)
  if (test === undefined) return invalidArgument("USER-vR9nC", "List.Query.Invalid")
  const found = candidates(incoming).filter(projected(incoming.now)).filter(test)
  const column = entry(columns, stringAt(given, "sortingColumn"))
  const sign = objectAt(given, "query")["asc"] === true ? 1 : -1
  const sorted =
    column === undefined
      ? found
      : found.toSorted((a, b) => sign * (column(a) < column(b) ? -1 : column(a) > column(b) ? 1 : 0))
  return page(incoming, sorted, showUser)
}

/** Whether user name and email are free in the instance. False is a zero value and is omitted. */
export const isUnique = ({ query, world }: Incoming): Answer => {
  const [userName, email] = [query.get("userName")?.toLowerCase(), query.get("email")?.toLowerCase()]
  const taken = Object.values(world.zitadel.users).some(
    (_) => _.userName.toLowerCase() === userName || (email !== undefined && emailOf(_).toLowerCase() === email)
  )
  return json(200, message({ isUnique: !taken }))
}

export const getByLoginName = ({ now, query, world }: Incoming): Answer => {
  const user = Object.values(world.zitadel.users)
    .filter(projected(now))
    .find((_) => _.userName === query.get("loginName"))
  return user === undefined ? notFound("QUERY-XirEl", "Errors.User.NotFound") : json(200, { user: showUser(user) })
}
