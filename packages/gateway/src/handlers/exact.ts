import type { Effect, Types } from "effect"
import type { HttpApiBuilder, HttpApiEndpoint } from "effect/http-api"

type CodesOf<Failure> = Failure extends { readonly code: infer Code extends string } ? Code : never

/** Codes that the endpoint declares and the handler never fails with. */
type Surplus<Endpoint, Handler> = Endpoint extends HttpApiEndpoint.Constraint
  ? Handler extends (request: never) => Effect.Effect<unknown, infer E, unknown>
    ? Exclude<CodesOf<Endpoint["~Error"]["Type"]>, CodesOf<E>>
    : never
  : never

/**
 * The handlers. A handler whose endpoint declares too many codes is replaced by the surplus codes, which does not
 * compile.
 */
type Exact<Endpoints, Handlers> = {
  readonly [Name in keyof Handlers]: Name extends keyof Endpoints
    ? [Surplus<Endpoints[Name], Handlers[Name]>] extends [never]
      ? Handlers[Name]
      : { readonly surplus: Surplus<Endpoints[Name], Handlers[Name]> }
    : never
}

type HandlersOf<Endpoints extends Record<string, HttpApiEndpoint.Constraint>> = {
  readonly [Name in keyof Endpoints]?: (
    request: Types.Simplify<Endpoints[Name]["~Request"]>
  ) => Effect.Effect<unknown, unknown, unknown>
}

/**
 * Checks a group's declared codes against its operations. The compiler already rejects a code that an operation fails
 * with and its endpoint does not declare; here it also rejects a declared code that no operation fails with.
 */
export function exact<
  Endpoints extends Record<string, HttpApiEndpoint.Constraint>,
  const Handlers extends HandlersOf<Endpoints>
>(_: HttpApiBuilder.Handlers<never, Endpoints>, handlers: Handlers): Exact<Endpoints, Handlers>
export function exact(_: unknown, handlers: object): object {
  return handlers
}
