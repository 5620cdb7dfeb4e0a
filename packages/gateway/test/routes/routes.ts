import {
  AnswersSecret,
  Authenticated,
  BillingAccess,
  DestroysWith,
  isAuditedRead,
  MinimumTier,
  type PermissionTier,
  PlatformAdmin,
  TenantScoped,
  tierOf,
  WithoutTenant
} from "@portico/contract/Access"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import { isAudited } from "@portico/domain/audit/Audit"
import { Context, SchemaAST } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import type { Plane } from "../harness/TestGateway.ts"

/** What an endpoint declares of who may call it. */
export interface Route {
  readonly method: string
  /** As declared: `/v1/credentials/:credential_id`. */
  readonly path: string
  /** As the OpenAPI document spells it. */
  readonly documented: string
  readonly planes: ReadonlySet<Plane>
  readonly authenticated: boolean
  readonly platformAdmin: boolean
  readonly tenantScoped: boolean
  /** It answers a caller that has neither a tenant nor the powers of an administrator. */
  readonly withoutTenant: boolean
  /** Closed to members who do not see money. */
  readonly billing: boolean
  /** A catch-all holds calls to the tier of their method, in words of its own. */
  readonly proxied: boolean
  readonly tier: PermissionTier
  /** The flag of the body with which it needs tier 2. */
  readonly destroysWith: string | undefined
  readonly takesBody: boolean
  /** The body may be missing. */
  readonly optionalBody: boolean
  readonly takesQuery: boolean
  /** What kind of secret its answer holds. */
  readonly answersSecret: "stored" | "grant" | "new" | undefined
  /** Every call leaves a record in the audit. */
  readonly audited: boolean
}

const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  plane: Plane
): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const proxied = endpoint.path.endsWith("/*")
      const keys = new Set([...middleware].map((_) => _.key))
      found.push({
        method: endpoint.method,
        path: endpoint.path,
        documented: endpoint.path.replace("/*", "/{path}").replaceAll(/:([a-z_]+)/g, "{$1}"),
        planes: new Set([plane]),
        authenticated: keys.has(Authenticated.key),
        platformAdmin: keys.has(PlatformAdmin.key),
        tenantScoped: keys.has(TenantScoped.key),
        withoutTenant: Context.get(endpoint.annotations, WithoutTenant),
        billing: keys.has(BillingAccess.key),
        proxied,
        tier: (proxied ? undefined : Context.get(endpoint.annotations, MinimumTier)) ?? tierOf(endpoint.method),
        destroysWith: Context.get(endpoint.annotations, DestroysWith)?.flag,
        takesBody: endpoint.payload.size > 0,
        // The library reads a missing body as null.
        optionalBody: [...endpoint.payload.values()].some(({ schemas }) =>
          schemas.some(({ ast }) => SchemaAST.isNull(SchemaAST.toEncoded(ast)))
        ),
        takesQuery: endpoint.query !== undefined,
        answersSecret: Context.get(endpoint.annotations, AnswersSecret),
        audited: isAudited(endpoint.method) || isAuditedRead(endpoint.annotations)
      })
    }
  })
  return found
}

export const nameOf = (route: Pick<Route, "method" | "path">): string => `${route.method} ${route.path}`

const customer = routesOf(CustomerApi, "customer")
const operator = routesOf(OperatorApi, "operator")
const both = new Map(customer.map((_) => [nameOf(_), _]))
for (const route of operator) {
  const held = both.get(nameOf(route))
  both.set(nameOf(route), { ...route, planes: new Set([...(held?.planes ?? []), ...route.planes]) })
}

/** Every route of either plane, read off the declarations: none can be forgotten. */
export const routes: ReadonlyArray<Route> = [...both.values()]

export const operatorOnly = routes.filter((_) => !_.planes.has("customer"))
