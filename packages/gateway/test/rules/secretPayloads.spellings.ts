import { anId, everybody, type Spelling } from "./Spelling.ts"

const secret = `/key-manager/v1/secrets/${anId}`

/** All but the first three make Barbican answer the payload. */
const metadataAccepts: ReadonlyArray<string | undefined> = [undefined, "*/*", "application/json"]
const payloadAccepts: ReadonlyArray<string> = [
  "text/plain",
  "application/octet-stream",
  "application/json, text/plain",
  "application/json;q=1",
  "application/json, application/json",
  "Application/JSON",
  "application/*",
  "text/*",
  "*/*, text/plain",
  "*/*;q=0.1",
  ""
]

type Row = readonly [method: string, path: string, accept: string | undefined, refused: boolean]

const rows: ReadonlyArray<Row> = [
  ...[...metadataAccepts, ...payloadAccepts].flatMap((accept): ReadonlyArray<Row> => [
    ["GET", `${secret}/payload`, accept, true],
    ["GET", `${secret}/metadata`, accept, false],
    ["GET", "/key-manager/v1/secrets", accept, false]
  ]),
  ...payloadAccepts.flatMap((accept): ReadonlyArray<Row> => [
    ["GET", secret, accept, true],
    ["GET", `${secret}/`, accept, true],
    // The router below Barbican knows a secret by this word as well, and by any suffix that it takes for a format.
    ["GET", `${secret}/index`, accept, true],
    ["GET", `${secret}.txt`, accept, true]
  ]),
  ...metadataAccepts.map((accept): Row => ["GET", secret, accept, false]),
  ["GET", `${secret}/payload/`, undefined, true],
  ["GET", `${secret}/payload.txt`, undefined, true],
  ["GET", `${secret}/payload.json`, "text/plain", true],
  ["GET", `${secret}/payload/index`, undefined, true],
  ["GET", `${secret}.json`, "text/plain", true],
  ["GET", `${secret}/payload/x`, undefined, true],
  ["GET", `${secret}/acl`, "text/plain", false],
  ["GET", `${secret}/consumers`, "text/plain", false],
  ["GET", `${secret}/metadata/payload`, "text/plain", false],
  ["GET", `/key-manager/v1/containers/${anId}`, "text/plain", false],
  ["GET", `/key-manager/v1/orders/${anId}`, "text/plain", false]
]

const spelled = (who: Spelling["who"], [method, path, accept]: Row, expect: Spelling["expect"]): Spelling => ({
  what: accept === undefined ? "without Accept" : `Accept: ${accept}`,
  who,
  method,
  path,
  ...(accept === undefined ? {} : { headers: { accept } }),
  expect
})

/** Writing a payload is not reading it. */
const write: Spelling = {
  what: "a new secret",
  who: everybody,
  method: "POST",
  path: "/key-manager/v1/secrets",
  headers: { accept: "text/plain" },
  body: { name: "x", payload: "y", payload_content_type: "text/plain" },
  expect: "allowed"
}

export const secretPayloadSpellings: ReadonlyArray<Spelling> = [
  ...rows.map((_) => spelled(["machine"], _, _[3] ? "secret_payload_refused" : "allowed")),
  ...rows.map((_) => spelled(["person"], _, "allowed")),
  write
]
