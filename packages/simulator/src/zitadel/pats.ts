import { entry, objectAt, stringAt } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { invalidArgument, notFound } from "./errors.ts"
import { details, newId, nextSequence, page, projected, timestamp } from "./proto.ts"
import { type Machine, never, type Pat, patScopes, type User } from "./state.ts"
import { newSecret } from "./tokens.ts"

export const createPat = ({ json: body, now, world }: Incoming, user: Machine): Answer => {
  const date = stringAt(objectAt(body), "expirationDate")
  const expiresAt = date === undefined ? never : Date.parse(date)
  if (Number.isNaN(expiresAt)) return invalidArgument("proto", "invalid google.protobuf.Timestamp value")
  if (expiresAt < now) return invalidArgument("DOMAIN-dv3t5", "Errors.AuthNKey.ExpireBeforeNow")
  const pat: Pat = {
    id: newId(world),
    userId: user.id,
    token: newSecret(),
    scopes: patScopes,
    createdAt: now,
    expiresAt,
    sequence: nextSequence(world),
    alive: true
  }
  world.zitadel.pats[pat.id] = pat
  return json(200, { tokenId: pat.id, token: pat.token, details: details(pat) })
}

/** Only the create shows the token. */
const showPat = (pat: Pat) => ({
  id: pat.id,
  details: details(pat),
  expirationDate: timestamp(pat.expiresAt),
  scopes: pat.scopes
})

export const searchPats = (incoming: Incoming, user: User): Answer =>
  page(
    incoming,
    Object.values(incoming.world.zitadel.pats).filter((_) => _.userId === user.id && projected(incoming.now)(_)),
    showPat
  )

export const deletePat = ({ now, params, world }: Incoming): Answer => {
  const pat = entry(world.zitadel.pats, params["tokenId"])
  if (pat === undefined || pat.userId !== params["id"]) return notFound("COMMAND-4m77G", "Errors.User.PAT.NotFound")
  delete world.zitadel.pats[pat.id]
  return json(200, { details: details({ createdAt: pat.createdAt, changedAt: now, sequence: nextSequence(world) }) })
}
