import type { WithheldCode } from "@portico/contract/Access"
import type { Effect, Types } from "effect"
import type { HttpApiBuilder, HttpApiEndpoint } from "effect/http-api"

/** The codes of failures, and of failures that come with headers. */
type CodesOf<Failure> = Failure extends { readonly code: infer Code extends string }
  ? Code
  : Failure extends { readonly failure: infer Inner }
    ? CodesOf<Inner>
    : never

/** Codes that the endpoint declares and the handler never fails with. */
type Surplus<Endpoint, Handler> = Endpoint extends HttpApiEndpoint.Constraint
  ? Handler extends (request: never) => Effect.Effect<unknown, infer E, unknown>
    ? Exclude<CodesOf<Endpoint["~Error"]["Type"]>, CodesOf<E>>
    : never
  : never

/**
 * Codes of the authentication that the handler fails with and the endpoint itself does not declare. To the compiler
 * every endpoint has all of them; in fact it has those that its authentication can answer.
 */
type Missing<Endpoint, Handler> = Endpoint extends HttpApiEndpoint.Constraint
  ? Handler extends (request: never) => Effect.Effect<unknown, infer E, unknown>
    ? Exclude<Extract<CodesOf<E>, WithheldCode>, CodesOf<Endpoint["~Error"]["Type"]>>
    : never
  : never

/** The handlers. A handler whose endpoint declares other codes is replaced by these codes, which does not compile. */
type Exact<Endpoints, Handlers> = {
  readonly [Name in keyof Handlers]: Name extends keyof Endpoints
    ? [Surplus<Endpoints[Name], Handlers[Name]> | Missing<Endpoints[Name], Handlers[Name]>] extends [never]
      ? Handlers[Name]
      : {
          readonly surplus: Surplus<Endpoints[Name], Handlers[Name]>
          readonly missing: Missing<Endpoints[Name], Handlers[Name]>
        }
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

/** Nothing for two equal sets of codes, or else the codes that are in one of them alone, which does not compile. */
type Equal<Declared, Failing> = [Exclude<Declared, Failing> | Exclude<Failing, Declared>] extends [never]
  ? unknown
  : { readonly surplus: Exclude<Declared, Failing>; readonly missing: Exclude<Failing, Declared> }

/** The same check for the operation behind a raw handler, which renders its failures itself. */
export const exactRaw = <
  Endpoints extends Record<string, HttpApiEndpoint.Constraint>,
  Name extends keyof Endpoints,
  A,
  E,
  R
>(
  _: HttpApiBuilder.Handlers<never, Endpoints>,
  _name: Name,
  operation: Effect.Effect<A, E, R> & Equal<CodesOf<Endpoints[Name]["~Error"]["Type"]>, CodesOf<E>>
): Effect.Effect<A, E, R> => operation
