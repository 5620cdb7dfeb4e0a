import { imageLocationSpellings } from "../../rules/imageLocations.spellings.ts"
import { secretPayloadSpellings } from "../../rules/secretPayloads.spellings.ts"
import { anId } from "../../rules/Spelling.ts"
import { attempt, attemptsOf } from "./Attempt.ts"
import type { Family } from "./examined.ts"

const one = `/image/images/${anId}`
const newer = "application/openstack-images-v2.1-json-patch"
const older = "application/openstack-images-v2.0-json-patch"
const value = { url: "http://images.example/x", metadata: {} }
const add = (path: string) => JSON.stringify([{ op: "add", path, value }])
const both = JSON.stringify([{ op: "add", path: "/locations/-", value, add: "/x" }])

const patch = (what: string, body: string | Uint8Array, type: string | ReadonlyArray<string> = newer) =>
  attempt(what, "PATCH", one, { body, headers: { "content-type": type } })

/** Where the data of an image lies. */
export const locations: Family = {
  attempts: [
    ...attemptsOf(imageLocationSpellings),
    ...[
      "/locations/00",
      "/locations/--",
      "/locations/\u0660",
      "/\u0085locations/-",
      "/locations~1-",
      "/\ufefflocations/-",
      "/LOCATIONS/-"
    ].map((_) => patch(`add ${JSON.stringify(_)}`, add(_))),
    patch("a path twice", `[{"op":"add","path":"/x","path":"/locations/-","value":${JSON.stringify(value)}}]`),
    patch("NaN in it", add("/locations/-").replace("{}", '{"x":NaN}')),
    patch("UTF-16", Buffer.from(add("/locations/-"), "utf16le")),
    patch("a byte order mark", `\ufeff${add("/locations/-")}`),
    patch("a parameter that names the other type", add("/locations/-"), `${newer};${older}`),
    patch("two types, the older first", both, [older, newer]),
    patch("two types, the newer first", both, [newer, older]),
    attempt("a type with a low line", "PATCH", one, { body: add("/locations/-"), headers: { content_type: newer } }),
    attempt("a type, and another with a low line", "PATCH", one, {
      body: both,
      headers: { "content-type": older, content_type: newer }
    }),
    attempt("a type that the connection keeps", "PATCH", one, {
      body: add("/locations/-"),
      headers: { "content-type": newer, connection: "close, content-type" }
    }),
    ...["GET", "POST", "DELETE"].map((method) =>
      attempt("another method", method, one, {
        query: "_method=PATCH",
        body: add("/locations/-"),
        headers: { "content-type": newer }
      })
    ),
    ...["/image//images", "/image/x/../images", "/image/im%61ges"].map((path) =>
      attempt("an odd path", "PATCH", `${path}/${anId}`, {
        body: add("/locations/-"),
        headers: { "content-type": newer }
      })
    )
  ],
  comeOff: 40
}

const secret = `/key-manager/v1/secrets/${anId}`
const accepts = ["text/plain", "application/octet-stream", ""]

/** What is in a secret. */
export const payloads: Family = {
  attempts: [
    ...attemptsOf(secretPayloadSpellings).filter(({ method }) => method === "GET"),
    ...[
      "payload//",
      "x/../payload",
      "x/%2e%2e/payload",
      "acl/../payload",
      "metadata/../payload",
      "%70ayload",
      "Payload",
      "payload;x",
      "payload%00",
      "payload%20",
      "payload/index",
      "payload?x",
      "payload.json"
    ].map((_) => attempt("an odd path", "GET", `${secret}/${_}`)),
    ...[
      `/key-manager/v1//secrets/${anId}/payload`,
      `/key-manager//v1/secrets/${anId}/payload`,
      `/key-manager/v1/./secrets/${anId}/payload`,
      `/key-manager/v1/secrets/${anId}%2Fpayload`,
      `/key-manager/v1/secrets/${anId.toUpperCase()}/payload`,
      `/key-manager/V1/secrets/${anId}/payload`
    ].map((path) => attempt("an odd path", "GET", path)),
    ...accepts.flatMap((accept) =>
      ["", "/", ".txt", ".json", "/index", "?x=1"].map((_) =>
        attempt(`Accept: ${accept}`, "GET", `${secret}${_}`, { headers: { accept } })
      )
    ),
    attempt("two that are wanted", "GET", secret, { headers: { accept: ["application/json", "text/plain"] } }),
    attempt("an Accept that the connection keeps", "GET", secret, {
      headers: { accept: "text/plain", connection: "close, accept" }
    }),
    ...["POST", "PUT", "PATCH"].map((method) =>
      attempt("another method", method, `${secret}/payload`, { query: "_method=GET" })
    )
  ],
  comeOff: 20,
  stricter: {}
}
