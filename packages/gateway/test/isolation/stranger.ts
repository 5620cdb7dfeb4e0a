import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import type { Answer } from "../harness/http.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { polled } from "../real/Administrator.ts"
import { through } from "../real/Guests.ts"
import type { Belongings } from "./Belongings.ts"
import type { Kind, Try } from "./Kind.ts"

/** Everything by which A's things could be known, and B's could not. */
const marksOf = (a: Belongings, b: Belongings): ReadonlyArray<string> => {
  const others: ReadonlySet<unknown> = new Set(Object.values(b))
  return Object.values(a).filter((_): _ is string => typeof _ === "string" && !others.has(_))
}

/** All claims at once to be A, or an administrator. */
const claims = (a: Belongings): Readonly<Record<string, string>> => ({
  "x-auth-token": "a-token",
  "x-service-token": "a-token",
  "x-project-id": a.projectId,
  x_project_id: a.projectId,
  "x-project-name": a.tenant.name,
  "x-tenant": a.tenant.name,
  "x-tenant-id": a.projectId,
  "x-tenant-name": a.tenant.name,
  "x-user-id": a.user,
  "x-user": a.user,
  "x-roles": "admin,service",
  "x-role": "admin",
  "x-is-admin-project": "True",
  "x-identity-status": "Confirmed",
  "x-domain-id": "default",
  "openstack-system-scope": "all",
  "x-auth-all-projects": "true",
  "x-auth-sudo-project-id": a.projectId,
  "x-auth-sudo-tenant-id": a.projectId,
  "x-designate-edit-managed-records": "true",
  "x-http-method-override": "DELETE"
})

/** The same request about what never was: an id like every other, and a name like every other. */
const twinOf = (request: Try, marks: ReadonlyArray<string>): Try | undefined => {
  let text = JSON.stringify(request)
  for (const mark of marks.filter((_) => text.includes(_))) text = text.replaceAll(mark, likeness(mark))
  const twin = JSON.parse(text)
  return text === JSON.stringify(request) ? undefined : twin
}

const likeness = (mark: string): string =>
  mark.includes("-") && mark.length === 36
    ? randomUUID()
    : /^[0-9a-f]{32}$/.test(mark)
      ? randomUUID().replaceAll("-", "")
      : mark.replace(/[0-9a-f]{8}/, () => randomBytes(4).toString("hex"))

/** What of an answer may not depend on whether the thing is there. */
const withoutNames = ({ headers, status, text }: Answer): string =>
  `${status} ${headers["content-type"] ?? ""} ${text
    .replaceAll(/req-[0-9a-f-]{36}/g, "{request}")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g, "{id}")
    .replaceAll(/belonging-[0-9a-f]{8}/g, "{name}")}`

const sent = (token: string, { body, headers, method, path }: Try) =>
  through(token, method, path, {
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers })
  })

/** What the owner reads; whatever it is, it has to be there. */
const shownText = Effect.fnUntraced(function* (token: string, path: string) {
  const answer = yield* through(token, "GET", path)
  return answer.status === 200 ? answer.text : yield* Effect.die(`${path} is not there for its owner: ${answer.text}`)
})

/** The marks of A's in an answer that were not in the request. */
const told = (answer: Answer, request: string, marks: ReadonlyArray<string>) =>
  marks.filter((_) => answer.text.includes(_) && !request.includes(_))

/**
 * Tries everything that a kind's table has, as B; the sentences say what went
 * otherwise than it should. A's things are the same before and after.
 */
export const strange = Effect.fnUntraced(function* (kind: Kind, a: Belongings, b: Belongings) {
  const marks = marksOf(a, b)
  const [, , token] = b.tokens
  const wrong: Array<string> = []
  const owned = Effect.forEach(kind.owned, (_) => shownText(a.tokens[0], _))
  for (const path of kind.active ?? []) {
    yield* polled(through(a.tokens[0], "GET", path), (_) => jsonOf(_).status === "ACTIVE")
  }
  const before = yield* owned

  for (const list of kind.lists) {
    const plain = yield* through(token, "GET", list)
    const refused = /(project|tenant)_id=/.test(list) && list.includes(a.projectId) ? 403 : 200
    if (plain.status !== refused) wrong.push(`GET ${list} answered ${plain.status}: ${plain.text}`)
    for (const mark of told(plain, list, marks)) wrong.push(`GET ${list} tells ${mark}`)
  }
  for (const list of kind.lists.slice(0, 1)) {
    const plain = yield* through(token, "GET", list)
    const claiming = yield* through(token, "GET", list, { headers: claims(a) })
    if (claiming.text !== plain.text) wrong.push(`GET ${list} believes a header: ${claiming.text}`)
  }
  for (const one of kind.tries) {
    const what = `${one.method} ${one.path} ${one.body === undefined ? "" : JSON.stringify(one.body)}`
    const answer = yield* sent(token, one)
    if (answer.status !== one.status) wrong.push(`${what} answered ${answer.status}, not ${one.status}: ${answer.text}`)
    for (const mark of told(answer, what, marks)) wrong.push(`${what} tells ${mark}`)
    if (one.method === "GET" && one.status === 404 && one.unready === undefined) {
      const seen = yield* sent(a.tokens[2], one)
      if (seen.status !== 200) wrong.push(`${what} is not there for its owner: ${seen.status} ${seen.text}`)
    }
    const twin = twinOf(one, marks)
    if (twin === undefined) continue
    const absent = yield* sent(token, twin)
    const differs = withoutNames(absent) !== withoutNames(answer)
    if (differs && one.tells === undefined) {
      wrong.push(
        `${what} is answered unlike what never was: ${answer.status} ${answer.text} | ${absent.status} ${absent.text}`
      )
    }
  }
  if (kind.one !== undefined) {
    const claiming = yield* through(token, "GET", kind.one, { headers: claims(a) })
    const plain = yield* through(token, "GET", kind.one)
    if (withoutNames(claiming) !== withoutNames(plain))
      wrong.push(`GET ${kind.one} believes a header: ${claiming.text}`)
    for (const [tier, method] of [
      [0, "POST"],
      [0, "PUT"],
      [0, "PATCH"],
      [0, "DELETE"],
      [1, "DELETE"]
    ] as const) {
      const { status } = yield* through(a.tokens[tier], method, kind.one, { body: {} })
      if (status !== 403) wrong.push(`${method} ${kind.one} at tier ${tier} answered ${status}`)
    }
  }
  const after = yield* owned
  kind.owned.forEach((path, i) => {
    if (before[i] !== after[i]) wrong.push(`${path} is not what it was: ${before[i]} | ${after[i]}`)
  })
  return wrong
})
