import { createHash, generateKeyPairSync, randomUUID } from "node:crypto"
import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { type Request, computeRoute } from "./request.ts"
import { badRequest, fault, misfit, notFound, policyRefuses } from "./fault.ts"
import { limitOf } from "./quotas.ts"
import { createKeypair } from "./schemas.ts"
import { isSshKey } from "./sshKeys.ts"
import type { Keypair } from "./state.ts"

/** From microversion 2.10 an administrator may name another user; other callers get a refusal. */
const ownerOf = ({ minor, query, scope }: Request): string | undefined => {
  const other = minor < 10 ? null : query.get("user_id")
  return other === null || other === scope.userId || scope.admin ? (other ?? scope.userId) : undefined
}

const summary = ({ minor }: Request, _: Keypair) => ({
  name: _.name,
  public_key: _.public_key,
  fingerprint: _.fingerprint,
  ...(minor < 2 ? {} : { type: _.type })
})

const owned = ({ world: { nova } }: Request, userId: string) =>
  Object.values(nova.keypairs).filter((_) => _.user_id === userId)

const list = (request: Request): Answer => {
  const userId = ownerOf(request)
  if (userId === undefined) return policyRefuses("os_compute_api:os-keypairs:index")
  return json(200, { keypairs: owned(request, userId).map((_) => ({ keypair: summary(request, _) })) })
}

/** The MD5 of the key's bytes; undefined when it is not an SSH key. */
const fingerprintOf = (key: string): string | undefined => {
  const [, type = "", blob = ""] = /^(\S+)[ \t]+(\S+)/.exec(key) ?? []
  const bytes = Buffer.from(blob, "base64")
  if (!isSshKey(type, bytes) || blob.length % 4 !== 0) return undefined
  const digest = createHash("md5").update(bytes).digest("hex")
  return (digest.match(/../g) ?? []).join(":")
}

const generated = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" }
  })
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([part(Buffer.from("ssh-ed25519")), part(publicKey.subarray(-32))])
  return { private_key: privateKey, public_key: `ssh-ed25519 ${blob.toString("base64")} Generated-by-Nova` }
}

const create = (request: Request): Answer => {
  const { json: body, minor, now, scope, world } = request
  const misfits = misfit(createKeypair(minor), body)
  if (misfits !== undefined) return misfits
  const given = objectAt(body, "keypair")
  const name = stringAt(given, "name") ?? ""
  const wanted = minor < 10 ? undefined : stringAt(given, "user_id")
  if (wanted !== undefined && wanted !== scope.userId && !scope.admin) {
    return policyRefuses("os_compute_api:os-keypairs:create")
  }
  const imported = stringAt(given, "public_key")
  const userId = wanted ?? scope.userId
  const limit = limitOf(world, scope.projectId, "key_pairs")
  const held = owned(request, userId)
  if (limit >= 0 && held.length >= limit) return fault(403, "Quota exceeded, too many key pairs.")
  const made = imported === undefined ? generated() : { public_key: imported }
  const fingerprint = fingerprintOf(made.public_key)
  if (fingerprint === undefined) return badRequest("Keypair data is invalid: failed to generate fingerprint")
  if (held.some((_) => _.name === name)) return fault(409, `Key pair '${name}' already exists.`)
  const keypair: Keypair = {
    id: randomUUID(),
    user_id: userId,
    name,
    type: stringAt(given, "type") ?? "ssh",
    public_key: made.public_key,
    fingerprint,
    created_at: now
  }
  world.nova.keypairs[keypair.id] = keypair
  const secret = "private_key" in made ? { private_key: made.private_key } : {}
  return json(minor < 2 ? 200 : 201, { keypair: { ...summary(request, keypair), user_id: userId, ...secret } })
}

const ofKeypair = (rule: string, handler: (request: Request, keypair: Keypair) => Answer) => (request: Request) => {
  const userId = ownerOf(request)
  if (userId === undefined) return policyRefuses(`os_compute_api:os-keypairs:${rule}`)
  const name = request.params["name"] ?? ""
  const keypair = owned(request, userId).find((_) => _.name === name)
  return keypair === undefined ? notFound(`Keypair ${name} not found for user ${userId}`) : handler(request, keypair)
}

const show = ofKeypair("show", (request, keypair) =>
  json(200, {
    keypair: {
      ...summary(request, keypair),
      // The database's row number, which no call accepts.
      id: Object.keys(request.world.nova.keypairs).indexOf(keypair.id) + 1,
      user_id: keypair.user_id,
      created_at: `${toSecondsUtc(keypair.created_at).replace("Z", "")}.000000`,
      deleted: false,
      deleted_at: null,
      updated_at: null
    }
  })
)

const remove = ofKeypair("delete", ({ minor, world }, keypair) => {
  delete world.nova.keypairs[keypair.id]
  return empty(minor < 2 ? 202 : 204)
})

/** Every token may manage keypairs, also with role `reader`. */
export const keypairRoutes: Routes = {
  "GET /v2.1/os-keypairs": computeRoute(list),
  "POST /v2.1/os-keypairs": computeRoute(create),
  "GET /v2.1/os-keypairs/:name": computeRoute(show),
  "DELETE /v2.1/os-keypairs/:name": computeRoute(remove)
}
