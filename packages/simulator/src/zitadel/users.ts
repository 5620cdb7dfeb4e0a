import { booleanAt, entry, objectAt, stringAt } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { formOf } from "./clients.ts"
import { alreadyExists, failedPrecondition, invalidArgument, notFound } from "./errors.ts"
import { details, message, newId, nextSequence, touch, written } from "./proto.ts"
import type { Human, Machine, User, UserState } from "./state.ts"
import { endTokens, newSecret } from "./tokens.ts"

export const showUser = (user: User) =>
  message({
    id: user.id,
    details: details(user),
    state: user.state,
    userName: user.userName,
    loginNames: [user.userName],
    preferredLoginName: user.userName,
    ...(user.type === "TYPE_MACHINE" ? { machine: showMachine(user) } : { human: showHuman(user) })
  })

// The zero value ACCESS_TOKEN_TYPE_BEARER is omitted, like every zero value.
const showMachine = ({ accessTokenType, clientSecret, description, name }: Machine) =>
  message({
    name,
    description,
    hasSecret: clientSecret !== null,
    accessTokenType: accessTokenType === "ACCESS_TOKEN_TYPE_BEARER" ? undefined : accessTokenType
  })

const showHuman = ({ email, isEmailVerified, ..._ }: Human) => ({
  profile: message({
    firstName: _.firstName,
    lastName: _.lastName,
    nickName: _.nickName,
    displayName: _.displayName,
    preferredLanguage: _.preferredLanguage
  }),
  email: message({ email, isEmailVerified })
})

/** Names are compared case-insensitively, and a deactivated user keeps its name. */
const taken = ({ world }: Incoming, userName: string): boolean =>
  Object.values(world.zitadel.users).some((_) => _.userName.toLowerCase() === userName.toLowerCase())

export const createMachine = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const given = objectAt(incoming.json)
  const userName = stringAt(given, "userName")?.trim() ?? ""
  const name = stringAt(given, "name") ?? ""
  if (userName === "" || userName.length > 200 || name === "" || name.length > 200) {
    return invalidArgument("COMMAND-bm9Ds", "Errors.User.Invalid")
  }
  const wanted = stringAt(given, "userId") ?? ""
  if (entry(world.zitadel.users, wanted) !== undefined) {
    return alreadyExists("COMMAND-k2una", "Errors.User.AlreadyExisting")
  }
  if (taken(incoming, userName)) return alreadyExists("V3-DKcYh", "Errors.User.AlreadyExists")
  const user: Machine = {
    type: "TYPE_MACHINE",
    id: wanted === "" ? newId(world) : wanted,
    userName,
    name,
    description: stringAt(given, "description") ?? "",
    accessTokenType: stringAt(given, "accessTokenType") ?? "ACCESS_TOKEN_TYPE_BEARER",
    clientSecret: null,
    state: "USER_STATE_ACTIVE",
    createdAt: now,
    changedAt: now,
    sequence: nextSequence(world)
  }
  world.zitadel.users[user.id] = user
  return json(200, { userId: user.id, details: details(user) })
}

/** A user without a password and a verified address is INITIAL until it follows the link of its mail. */
export const importHuman = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const given = objectAt(incoming.json)
  const profile = objectAt(given, "profile")
  const mail = objectAt(given, "email")
  const [userName, email] = [stringAt(given, "userName")?.trim() ?? "", stringAt(mail, "email")?.trim() ?? ""]
  const [firstName, lastName] = [stringAt(profile, "firstName") ?? "", stringAt(profile, "lastName") ?? ""]
  const nickName = stringAt(profile, "nickName") ?? ""
  if (userName === "" || firstName === "" || lastName === "") {
    return invalidArgument("COMMAND-00p2b", "Errors.User.Invalid")
  }
  if ([userName, firstName, lastName, nickName].some((_) => _.length > 200)) {
    return invalidArgument("proto", "value length must be at most 200 runes")
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return invalidArgument("EMAIL-599BI", "Errors.User.Email.Invalid")
  if (taken(incoming, userName)) return alreadyExists("V3-DKcYh", "Errors.User.AlreadyExists")
  const isEmailVerified = booleanAt(mail, "isEmailVerified") ?? false
  const ready = isEmailVerified && (stringAt(given, "password") ?? "") !== ""
  const user: Human = {
    type: "TYPE_HUMAN",
    id: newId(world),
    userName,
    firstName,
    lastName,
    displayName: stringAt(profile, "displayName") ?? `${firstName} ${lastName}`,
    nickName,
    preferredLanguage: stringAt(profile, "preferredLanguage") ?? "",
    email,
    isEmailVerified,
    mails: ready ? 0 : 1,
    state: ready ? "USER_STATE_ACTIVE" : "USER_STATE_INITIAL",
    createdAt: now,
    changedAt: now,
    sequence: nextSequence(world)
  }
  world.zitadel.users[user.id] = user
  return json(200, { userId: user.id, details: details(user) })
}

/** A route below one user; `missing` is the answer when the user does not exist. */
export const ofUser =
  (
    handler: (incoming: Incoming, user: User) => Answer,
    missing: Answer = notFound("COMMAND-m9od", "Errors.User.NotFound")
  ) =>
  (incoming: Incoming): Answer => {
    const user = entry(incoming.world.zitadel.users, incoming.params["id"])
    return user === undefined ? missing : handler(incoming, user)
  }

/** A route for machine users. An unknown user is a failed precondition here, not a 404. */
export const ofMachine = (handler: (incoming: Incoming, user: Machine) => Answer) =>
  ofUser(
    (incoming, user) =>
      user.type === "TYPE_MACHINE"
        ? handler(incoming, user)
        : failedPrecondition("COMMAND-Df2f1", "Errors.User.WrongType"),
    failedPrecondition("COMMAND-Dggw2", "Errors.User.NotFound")
  )

export const getUser = (_: Incoming, user: User): Answer => json(200, { user: showUser(user) })

export const deleteUser = (incoming: Incoming, user: User): Answer => {
  const { zitadel } = incoming.world
  endTokens(incoming.world, user.id)
  for (const pat of Object.values(zitadel.pats)) if (pat.userId === user.id) delete zitadel.pats[pat.id]
  for (const grant of Object.values(zitadel.grants)) if (grant.userId === user.id) delete zitadel.grants[grant.id]
  delete zitadel.members[user.id]
  delete zitadel.users[user.id]
  return written(incoming, user)
}

/** A new secret replaces the old one; only this answer shows it. */
export const putSecret = (incoming: Incoming, user: Machine): Answer => {
  user.clientSecret = newSecret()
  touch(incoming, user)
  return json(200, { clientId: user.userName, clientSecret: user.clientSecret, details: details(user) })
}

export const deleteSecret = (incoming: Incoming, user: Machine): Answer => {
  if (user.clientSecret === null) {
    return failedPrecondition("COMMAND-coi82n", "Errors.User.Machine.Secret.NotExisting")
  }
  user.clientSecret = null
  return written(incoming, user)
}

/** Sends the initialization mail again, to another address if one is given. The simulator only counts mails. */
export const resendInitialization = (incoming: Incoming, user: User): Answer => {
  if (user.type !== "TYPE_HUMAN" || user.state !== "USER_STATE_INITIAL") {
    return failedPrecondition("COMMAND-2M9sd", "Errors.User.AlreadyInitialised")
  }
  const email = stringAt(objectAt(incoming.json), "email") ?? ""
  if (email !== "") user.email = email
  user.mails += 1
  return written(incoming, user)
}

/**
 * The target of the mail's link: a form with `userID` and `password`. The mail's code is not checked, because no
 * mail is sent; the password is not stored, because no login checks it.
 */
export const initialize = (incoming: Incoming): Answer => {
  const form = formOf(incoming)
  const user = entry(incoming.world.zitadel.users, form.get("userID") ?? undefined)
  if (user?.type !== "TYPE_HUMAN" || user.state !== "USER_STATE_INITIAL" || !form.has("password")) {
    return failedPrecondition("COMMAND-11Mdd", "Errors.User.Code.Invalid")
  }
  user.state = "USER_STATE_ACTIVE"
  user.isEmailVerified = true
  touch(incoming, user)
  return json(200, {})
}

interface Move {
  readonly from: ReadonlyArray<UserState>
  readonly to: UserState
  readonly refused: Answer
  /** The fields of an INITIAL user that differ. */
  readonly initial?: Answer
}

const moves = {
  deactivate: {
    from: ["USER_STATE_ACTIVE", "USER_STATE_LOCKED"],
    to: "USER_STATE_INACTIVE",
    refused: failedPrecondition("COMMAND-5M0sf", "Errors.User.AlreadyInactive"),
    // Not "missing", whatever the status says: such a user can only be deleted.
    initial: notFound("COMMAND-ke0fw", "Errors.User.CantDeactivateInitial")
  },
  reactivate: {
    from: ["USER_STATE_INACTIVE"],
    to: "USER_STATE_ACTIVE",
    refused: failedPrecondition("COMMAND-6M0sf", "Errors.User.NotInactive")
  },
  lock: {
    from: ["USER_STATE_ACTIVE", "USER_STATE_INITIAL"],
    to: "USER_STATE_LOCKED",
    refused: failedPrecondition("COMMAND-3NN8v", "Errors.User.ShouldBeActiveOrInitial")
  },
  unlock: {
    from: ["USER_STATE_LOCKED"],
    to: "USER_STATE_ACTIVE",
    refused: failedPrecondition("COMMAND-4M0ds", "Errors.User.NotLocked")
  }
} as const satisfies Readonly<Record<string, Move>>

export const moveUser = (name: keyof typeof moves) =>
  ofUser((incoming, user) => {
    const move: Move = moves[name]
    if (!move.from.includes(user.state)) {
      return user.state === "USER_STATE_INITIAL" ? (move.initial ?? move.refused) : move.refused
    }
    user.state = move.to
    if (move.to !== "USER_STATE_ACTIVE") endTokens(incoming.world, user.id)
    return written(incoming, user)
  })
