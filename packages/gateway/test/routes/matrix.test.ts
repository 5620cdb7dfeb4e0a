import { assert, layer } from "@effect/vitest"
import { sampled } from "@portico/testing/sample/sampled"
import type { MemberRole } from "@portico/store/Credentials"
import { Effect, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { failed } from "../kubernetes/ClusterTap.ts"
import { documents, violations } from "./conforms.ts"
import { everyRow } from "../harness/everyRow.ts"
import type { Asked } from "../harness/http.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

interface Refusal {
  readonly status: number
  readonly body: { readonly detail: string; readonly code: string }
}

const refusal = (status: number, code: string, detail: string): Refusal => ({ status, body: { detail, code } })

/** Whoever calls: with what, and what the server makes of it. */
interface Kind {
  readonly asked: (cast: Cast["Service"]) => Asked
  readonly dead?: Refusal
  readonly tier?: 0 | 1 | 2
  readonly administrator?: true
  readonly elsewhere?: true
  /** A person's role in acme; a machine has none. */
  readonly role?: MemberRole
}

const tenantRequired = refusal(
  409,
  "tenant_required",
  "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"
)
const noHeader = refusal(401, "missing_authorization", "Missing or invalid Authorization header")
const notActive = refusal(401, "token_inactive", "Token is not active")
const bearer = (token: string): Asked => ({ token })
const raw = (authorization: string): Asked => ({ headers: { authorization } })

const callers: Readonly<Record<string, Kind>> = {
  nobody: { asked: () => ({}), dead: noHeader },
  "an empty header": { asked: () => raw(""), dead: noHeader },
  "the scheme alone": { asked: () => raw("Bearer"), dead: noHeader },
  Basic: { asked: ({ acme }) => raw(`Basic ${acme.tokens[2]}`), dead: noHeader },
  "two tokens": { asked: ({ acme }) => raw(`Bearer ${acme.tokens[2]} ${acme.tokens[2]}`), dead: noHeader },
  "a token in the query of headers": {
    asked: ({ acme }) => ({ headers: { "x-auth-token": acme.tokens[2], "x-tenant-id": acme.projectId } }),
    dead: noHeader
  },
  garbage: { asked: () => bearer("garbage"), dead: notActive },
  "an expired credential": {
    asked: (_) => bearer(_.expired),
    dead: refusal(401, "credential_expired", "Credential has expired")
  },
  "a revoked credential": {
    asked: (_) => bearer(_.revoked),
    dead: refusal(401, "credential_revoked", "Credential has been revoked")
  },
  "a suspended credential": {
    asked: (_) => bearer(_.suspended),
    dead: refusal(401, "credential_suspended", "Credential is suspended")
  },
  "a person without roles": {
    asked: (_) => bearer(_.roleless),
    dead: refusal(403, "no_project_roles", "Token carries no project roles; tenant access denied")
  },
  "a person without a tenant": {
    asked: (_) => bearer(_.unbound),
    dead: refusal(
      403,
      "no_tenant",
      "No tenant assigned for user 'ursula@people.example': no TENANT_MAP entry and no admin role. " +
        "Ask an operator to map your user to a project."
    )
  },
  "tier 0": { asked: ({ acme }) => bearer(acme.tokens[0]), tier: 0 },
  "tier 1": { asked: ({ acme }) => bearer(acme.tokens[1]), tier: 1 },
  "tier 2": { asked: ({ acme }) => bearer(acme.tokens[2]), tier: 2 },
  "a lower-case scheme": { asked: ({ acme }) => raw(`bearer ${acme.tokens[2]}`), tier: 2 },
  "another tenant's tier 2": { asked: ({ globex }) => bearer(globex.tokens[2]), tier: 2, elsewhere: true },
  "a customer-owner": { asked: (_) => bearer(_.customerOwner), tier: 2, role: "customer-owner" },
  "a customer-admin": { asked: (_) => bearer(_.customerAdmin), tier: 2, role: "customer-admin" },
  "a platform administrator": { asked: () => bearer(operator), tier: 2, administrator: true }
}

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

/** What the declarations say about this caller on this route; undefined when it is let through. */
const refused = (route: Route, caller: Kind, plane: Plane): Refusal | undefined => {
  if (!route.planes.has(plane)) return refusal(404, "not_found", "Not Found")
  if (!route.authenticated) return undefined
  if (caller.dead !== undefined) return caller.dead
  // The powers of an administrator exist on the operator plane alone.
  if (plane === "customer" && caller.administrator === true && !route.withoutTenant) return tenantRequired
  const held = caller.tier ?? 0
  if (held < route.tier) {
    return refusal(
      403,
      "tier_too_low",
      route.proxied
        ? `Insufficient credential tier: ${route.method} requires tier ${route.tier}, the caller's credential is tier ${held}. ${tiers}`
        : `Insufficient credential tier: this action requires tier ${route.tier}, the caller's credential is tier ${held}. ` +
            `${tiers} Create a higher-tier credential under POST /v1/credentials.`
    )
  }
  if (route.billing && caller.role !== undefined && caller.role !== "customer-owner") {
    const detail =
      "This action requires billing access, which the account's owner grants under PUT /v1/org/users/{user_id}/billing"
    return refusal(403, "billing_access_required", detail)
  }
  if (route.platformAdmin && caller.administrator !== true) {
    return refusal(403, "admin_required", "This action requires the platform administrator role")
  }
  return route.tenantScoped && caller.administrator === true ? tenantRequired : undefined
}

/** The refusal by role, of the operation itself: whoever gets so far has sent what it takes. */
const refusedByRole = ({ roles }: Success, { administrator, role }: Kind): Success["administrator"] =>
  roles === undefined || administrator === true || (role !== undefined && roles.allowed.includes(role))
    ? undefined
    : roles.refusal

const administratorsOwn = (row: Success, plane: Plane): Success["administrator"] =>
  (plane === "customer" ? row.administratorAtCustomers : undefined) ?? row.administrator

const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict"
}

/** A refusal on the wire: those of the cluster's routes have the API server's form. */
const written = (route: Route, plane: Plane, { body, status }: Refusal): unknown =>
  route.path.startsWith("/v1/kubernetes/") && route.planes.has(plane)
    ? failed(status, reasons[status], body.code, body.detail)
    : body

const anything = { path: undefined, body: undefined, headers: {} }

/** How the middleware that reads the credential decides: it is the same one for every route. */
const decidedBefore = Object.keys(callers).filter((_) => callers[_]?.dead !== undefined || _ === "a lower-case scheme")

/** The part of a path that says what a route is about: `/v1/credentials`. */
const areaOf = ({ path }: Route): string => path.split("/").slice(0, 3).join("/")
const firstOfArea = new Set(
  Map.groupBy(routes, areaOf)
    .values()
    .map(([first]) => first)
)

const outcomeOf = (route: Route, row: Success, plane: Plane, caller: Kind) => {
  const no = refused(row.tier === undefined ? route : { ...route, tier: row.tier }, caller, plane)
  const isHidden = caller.elsewhere === true && row.hides === true
  const byRole = no === undefined && !isHidden ? refusedByRole(row, caller) : undefined
  const own = byRole ?? (caller.administrator ? administratorsOwn(row, plane) : undefined)
  const foreign = caller.elsewhere && row.elsewhere ? row.elsewhere : undefined
  const succeeds = no === undefined && own === undefined && foreign === undefined
  return { no, own, foreign, succeeds, status: no?.status ?? own?.status ?? foreign?.status ?? row.status }
}

/**
 * The callers of a route: always those whom the route itself refuses, and the key of the lowest tier that it lets
 * through. Of the callers whom the same middleware decides about, two; on the first route of each area, all. Of acme's
 * other callers who are let through, one, unless the route tells its members apart.
 */
const callersOf = (route: Route, row: Success, plane: Plane): ReadonlyArray<readonly [name: string, caller: Kind]> => {
  const name = `${plane} ${nameOf(route)}`
  const letThrough = Object.entries(callers)
    .filter(([name, _]) => !decidedBefore.includes(name) && !_.elsewhere && !_.administrator)
    .flatMap(([name, _]) => (outcomeOf(route, row, plane, _).succeeds ? [name] : []))
  const [lowest] = letThrough.filter((_) => _.startsWith("tier "))
  const others = letThrough.filter((_) => _ !== lowest)
  const drawn = [
    ...(firstOfArea.has(route) ? decidedBefore : sampled(name, 2, decidedBefore)),
    ...(lowest === undefined ? [] : [lowest]),
    ...(row.roles !== undefined || route.billing ? others : sampled(`${name} succeeds`, 1, others))
  ]
  const isDrawn = (name: string) => decidedBefore.includes(name) || letThrough.includes(name)
  return Object.entries(callers).filter(([name]) => drawn.includes(name) || !isDrawn(name))
}

const reads: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS"]

/** One caller's request, and its answer as declared. */
const asksWith = (route: Route, row: Success, plane: Plane) => {
  // What is there stays for the next caller until one changes it.
  let held: Effect.Success<Success["prepare"]> | undefined
  return Effect.fnUntraced(function* (caller: Kind) {
    const { foreign, no, own, status, succeeds } = outcomeOf(route, row, plane, caller)
    const { call } = yield* TestGateway
    const asked = caller.asked(yield* Cast)
    // Who is refused by the route is refused whatever the id, so that nothing has to be there.
    const isPrepared = no === undefined || row.tier !== undefined
    if (isPrepared) held ??= yield* row.prepare
    const prepared = isPrepared ? (held ?? anything) : anything
    if (succeeds && (row.after !== undefined || !reads.includes(route.method))) held = undefined
    const { body, path = route.path.replaceAll(/:[a-z_]+/g, "some-id").replace("*", "compute/servers") } = prepared
    const headers = row.ownLogin ? { ...asked.headers, ...prepared.headers } : { ...prepared.headers, ...asked.headers }
    const answer = yield* call(plane, route.method, path, { ...asked, headers, body })
    if (status === row.status && row.after !== undefined) yield* row.after

    assert.strictEqual(answer.status, status, answer.text)
    const wanted = no === undefined ? (own?.body ?? foreign?.body?.(path)) : written(route, plane, no)
    if (wanted !== undefined) assert.deepStrictEqual(jsonOf(answer), wanted)
    assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
    // A service says itself what may be kept of its answers.
    if (no !== undefined || !route.proxied) {
      assert.match(answer.headers["cache-control"] ?? "", /^no-store/)
      assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
    }
    if (route.planes.has(plane)) {
      assert.deepStrictEqual(violations(documents[plane], route.method, route.documented, answer), [])
    }
  })
}

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("the matrix", (it) => {
  for (const route of routes) {
    const row = successes[nameOf(route)]
    for (const plane of planes) {
      it.effect(`${plane}: ${nameOf(route)} answers each caller as declared`, () => {
        if (row === undefined) return Effect.sync(() => assert.fail("the route has no row among the successes"))
        const ask = asksWith(route, row, plane)
        return everyRow(callersOf(route, row, plane).map(([name, caller]) => [name, ask(caller)]))
      })
    }
  }

  it.effect("a cached credential is refused from the next request, on both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const { credential_id, pat } = yield* mint(acme.tokens[2], 1, "in use")
      for (const plane of planes) assert.strictEqual((yield* call(plane, "GET", "/v1/whoami", bearer(pat))).status, 200)
      yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, bearer(acme.tokens[2]))
      for (const plane of planes) {
        for (const path of ["/v1/whoami", "/v1/iaas/compute/servers"]) {
          const answer = yield* call(plane, "GET", path, bearer(pat))
          const body = { detail: "Credential has been revoked", code: "credential_revoked" }
          assert.deepStrictEqual([answer.status, jsonOf(answer)], [401, body])
        }
      }
    })
  )

  it.effect("the table of successes has exactly the existing routes", () =>
    Effect.sync(() => assert.sameMembers(Object.keys(successes), routes.map(nameOf)))
  )
})
