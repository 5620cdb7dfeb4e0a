import { generateKeyPairSync, randomBytes } from "node:crypto"
import { Result } from "effect"
import { numberAt, stringAt } from "../Json.ts"
import { containerOf } from "./newContainer.ts"
import { orderedSecret, secretOf } from "./newSecret.ts"
import type { BarbicanState, Order, Secret } from "./state.ts"

/** Processes the orders that are due. */
export const settle = (state: BarbicanState, now: number): void => {
  for (const order of Object.values(state.orders)) {
    if (order.status !== "PENDING" || now < order.ready_from) continue
    const failed = makers[order.type](state, order)
    order.status = failed === undefined ? "ACTIVE" : "ERROR"
    order.error = failed ?? null
    order.updated = order.ready_from
  }
}

/** Bit lengths that the stock plugin accepts for each algorithm; HMAC keys may have any length. */
const keyBits: Readonly<Record<string, ReadonlyArray<number>>> = {
  aes: [128, 192, 256],
  des: [56],
  "3des": [64, 128, 192]
}

const unsupported = "Process TypeOrder failure seen - please contact site administrator."

const keep = (state: BarbicanState, order: Order, secret_type: string, bytes: Uint8Array): Secret | undefined => {
  // The order was validated at its creation; only its expiration can have passed since.
  const given = orderedSecret("", order.meta, order.created)
  if (Result.isFailure(given)) return undefined
  const payload = { payload: Buffer.from(bytes).toString("base64"), content_type: "application/octet-stream" }
  const secret = secretOf({ ...given.success, secret_type, ...payload }, order.ready_from, order)
  state.secrets[secret.id] = secret
  return secret
}

/** The result of each type of order, or the error. */
const makers: Readonly<Record<Order["type"], (state: BarbicanState, order: Order) => string | undefined>> = {
  key: (state, order) => {
    const algorithm = stringAt(order.meta, "algorithm")?.toLowerCase() ?? ""
    const bits = numberAt(order.meta, "bit_length") ?? 0
    if (!algorithm.startsWith("hmac") && keyBits[algorithm]?.includes(bits) !== true) return unsupported
    const secret = keep(state, order, "symmetric", randomBytes(Math.ceil(bits / 8)))
    if (secret === undefined) return unsupported
    order.secret_id = secret.id
    return undefined
  },
  asymmetric: (state, order) => {
    const bits = numberAt(order.meta, "bit_length") ?? 0
    if (stringAt(order.meta, "algorithm")?.toLowerCase() !== "rsa" || ![1024, 2048, 4096].includes(bits))
      return unsupported
    const pair = generateKeyPairSync("rsa", {
      modulusLength: bits,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" }
    })
    const privateKey = keep(state, order, "private", Buffer.from(pair.privateKey))
    const publicKey = keep(state, order, "public", Buffer.from(pair.publicKey))
    if (privateKey === undefined || publicKey === undefined) return unsupported
    const secrets = [
      { name: "private_key", secret_id: privateKey.id },
      { name: "public_key", secret_id: publicKey.id }
    ]
    const container = containerOf(
      { type: "rsa", name: stringAt(order.meta, "name") ?? null, secrets },
      order.ready_from,
      order
    )
    state.containers[container.id] = container
    order.container_id = container.id
    return undefined
  },
  // A stock service has no plugin that signs certificates.
  certificate: () => unsupported
}
