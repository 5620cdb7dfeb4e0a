import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Answer, Asked } from "../harness/http.ts"
import { documents, violations } from "./conforms.ts"
import { nameOf, type Route } from "./routes.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"

/** Stands in every value that is sent, and may come back in no answer. */
export const canary = "canary-5f1d"

export interface Issue {
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
}

export const issue = (type: string, msg: string, ...loc: ReadonlyArray<string | number>): Issue => ({ loc, msg, type })

/** 422 with these issues, or another status with its body. */
export type Refusal = ReadonlyArray<Issue> | { readonly status: number; readonly code: string; readonly detail: string }

export const tooLarge: Refusal = {
  status: 413,
  code: "body_too_large",
  detail: "The request body is larger than 65536 bytes"
}

export const tooMany: Refusal = {
  status: 413,
  code: "too_many_values",
  detail: "The request body has more than 4000 members of objects and items of lists"
}

export const notJson: Refusal = {
  status: 415,
  code: "unsupported_media_type",
  detail: "The request body must be JSON with Content-Type: application/json"
}

export const encoded: Refusal = {
  status: 415,
  code: "encoded_body",
  detail: "The body of this request must be sent without a Content-Encoding"
}

const bodyOf = (refusal: Refusal) =>
  "code" in refusal
    ? { status: refusal.status, body: { detail: refusal.detail, code: refusal.code } }
    : { status: 422, body: { detail: refusal, code: "validation_error" } }

/** Who succeeds with the route when the request is fine. */
const allowed = Effect.fnUntraced(function* (route: Route) {
  return route.platformAdmin ? operator : (yield* Cast).acme.tokens[2]
})

/** A path of the route in which every id is one that exists, or might. */
export const pathOf = Effect.fnUntraced(function* (route: Route) {
  const { acme } = yield* Cast
  return route.path.replace(":project_id", acme.projectId).replaceAll(/:[a-z_]+/g, acme.credentialIds[0])
})

/** Asks as somebody who may, and expects to be refused with exactly that, before anything was done. */
export const refuses = Effect.fnUntraced(function* (
  route: Route,
  asked: Asked & { readonly query?: string },
  refusal: Refusal
) {
  const { call, trace } = yield* TestGateway
  const path = `${yield* pathOf(route)}${asked.query ?? ""}`
  const token = yield* allowed(route)
  for (const plane of route.planes) {
    const before = yield* trace
    const answer = yield* call(plane, route.method, path, { token, ...asked })
    const wanted = bodyOf(refusal)
    assert.strictEqual(answer.status, wanted.status, `${plane}: ${answer.text}`)
    assert.deepStrictEqual(jsonOf(answer), wanted.body, plane)
    assert.strictEqual(answer.headers["content-type"], "application/json")
    assert.notInclude(answer.text, canary)
    assert.deepStrictEqual(violations(documents[plane], route.method, route.documented, answer), [])
    assert.deepStrictEqual(yield* trace, before, `${plane}: ${nameOf(route)} did something`)
  }
})

/** One call of the route by somebody who may. */
export const permitted = Effect.fnUntraced(function* (plane: Plane, route: Route, asked: Asked = {}) {
  const { call } = yield* TestGateway
  const answer: Answer = yield* call(plane, route.method, yield* pathOf(route), {
    token: yield* allowed(route),
    ...asked
  })
  return answer
})
