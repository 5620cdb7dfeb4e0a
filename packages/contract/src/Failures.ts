import { Schema, type Types } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AdmissionNumbers } from "./Admission.ts"
import { access } from "./failures/access.ts"
import { accounts } from "./failures/accounts.ts"
import { agents } from "./failures/agents.ts"
import { audit } from "./failures/audit.ts"
import { autoscaling } from "./failures/autoscaling.ts"
import { credentials } from "./failures/credentials.ts"
import { databases } from "./failures/databases.ts"
import { dns } from "./failures/dns.ts"
import { edge } from "./failures/edge.ts"
import { events } from "./failures/events.ts"
import { iaas } from "./failures/iaas.ts"
import { idempotency } from "./failures/idempotency.ts"
import { kubernetes } from "./failures/kubernetes.ts"
import { money } from "./failures/money.ts"
import { monitoring } from "./failures/monitoring.ts"
import { natGateways } from "./failures/natGateways.ts"
import { objectStorage } from "./failures/objectStorage.ts"
import { org } from "./failures/org.ts"
import { policy } from "./failures/policy.ts"
import { projects } from "./failures/projects.ts"
import { registry } from "./failures/registry.ts"
import { requests } from "./failures/requests.ts"
import { signups } from "./failures/signups.ts"
import { tenants } from "./failures/tenants.ts"
import { upstreams } from "./failures/upstreams.ts"
import { workloadIdentity } from "./failures/workloadIdentity.ts"
import { Ceiling, ValidationIssue } from "./failures/bodies.ts"
import { type FailureRecord, type Records, type Resource, statuses, type Tag } from "./failures/Resource.ts"
import { constructors, exampleOf } from "./failures/constructors.ts"

const resources = [
  requests,
  access,
  idempotency,
  registry,
  iaas,
  kubernetes,
  workloadIdentity,
  credentials,
  agents,
  org,
  policy,
  tenants,
  signups,
  projects,
  accounts,
  money,
  databases,
  dns,
  edge,
  objectStorage,
  natGateways,
  autoscaling,
  monitoring,
  events,
  audit,
  upstreams
] as const

/** The records of a class in one resource. */
type RecordsIn<R, T extends Tag> = R extends { readonly [_ in T]: infer Found } ? Found : never
type RecordsOf<T extends Tag> = Types.UnionToIntersection<RecordsIn<(typeof resources)[number], T>>

/** The records of a class in all resources. */
function recordsOf<T extends Tag>(tag: T): RecordsOf<T>
function recordsOf(tag: Tag): Records {
  return Object.assign({}, ...resources.map((_: Resource) => _[tag]))
}

const records = {
  BadRequest: recordsOf("BadRequest"),
  Unauthorized: recordsOf("Unauthorized"),
  Forbidden: recordsOf("Forbidden"),
  NotFound: recordsOf("NotFound"),
  MethodNotAllowed: recordsOf("MethodNotAllowed"),
  NotAcceptable: recordsOf("NotAcceptable"),
  RequestTimeout: recordsOf("RequestTimeout"),
  Conflict: recordsOf("Conflict"),
  TooLarge: recordsOf("TooLarge"),
  UnsupportedMediaType: recordsOf("UnsupportedMediaType"),
  Invalid: recordsOf("Invalid"),
  Unprocessable: recordsOf("Unprocessable"),
  TooManyRequests: recordsOf("TooManyRequests"),
  Internal: recordsOf("Internal"),
  NotImplemented: recordsOf("NotImplemented"),
  BadGateway: recordsOf("BadGateway"),
  Unavailable: recordsOf("Unavailable")
} satisfies Record<Tag, Records>

type CodeOf<T extends Tag> = RecordsOf<T>[keyof RecordsOf<T>] extends { readonly code: infer C extends string }
  ? C
  : never

/** Every stable `code` of an error body. */
export type FailureCode = { readonly [T in Tag]: CodeOf<T> }[Tag]

const codesOf = <C extends string>(of: Readonly<Record<string, { readonly code: C }>>): ReadonlyArray<C> =>
  Object.values(of).map((_) => _.code)

const codeField = { description: "The stable name of the failure, for programs." }

const body = <C extends string>(of: Readonly<Record<string, { readonly code: C }>>) => ({
  detail: Schema.String.annotateKey({
    description: "The message of the failure, for people. Programs decide by the status and `code`."
  }),
  code: Schema.Literals(codesOf(of)).annotateKey(codeField)
})

const status = <T extends Tag>(tag: T) => ({ httpApiStatus: statuses[tag] })

// The classes are exported, because the declarations of other packages name them where a failure is inferred.

export class BadRequestClass extends Schema.Error<BadRequestClass>("BadRequest")(
  body(records.BadRequest),
  status("BadRequest")
) {
  readonly _tag = "BadRequest"
}

/** 400: no decision is possible on the request line itself. */
export const BadRequest = constructors(BadRequestClass, records.BadRequest)
export type BadRequest<C extends CodeOf<"BadRequest"> = CodeOf<"BadRequest">> = Of<"BadRequest", C>

export class UnauthorizedClass extends Schema.Error<UnauthorizedClass>("Unauthorized")(
  body(records.Unauthorized),
  status("Unauthorized")
) {
  readonly _tag = "Unauthorized"
}

/** 401: the caller is unknown. */
export const Unauthorized = constructors(UnauthorizedClass, records.Unauthorized)
export type Unauthorized<C extends CodeOf<"Unauthorized"> = CodeOf<"Unauthorized">> = Of<"Unauthorized", C>

export class ForbiddenClass extends Schema.Error<ForbiddenClass>("Forbidden")(
  body(records.Forbidden),
  status("Forbidden")
) {
  readonly _tag = "Forbidden"
}

/** 403: the caller is known and may learn the reason. Another tenant's resource is never 403, see {@link NotFound}. */
export const Forbidden = constructors(ForbiddenClass, records.Forbidden)
export type Forbidden<C extends CodeOf<"Forbidden"> = CodeOf<"Forbidden">> = Of<"Forbidden", C>

export class NotFoundClass extends Schema.Error<NotFoundClass>("NotFound")(body(records.NotFound), status("NotFound")) {
  readonly _tag = "NotFound"
}

/** 404: absent, or another tenant's. Both responses have the same bytes. */
export const NotFound = constructors(NotFoundClass, records.NotFound)
export type NotFound<C extends CodeOf<"NotFound"> = CodeOf<"NotFound">> = Of<"NotFound", C>

export class MethodNotAllowedClass extends Schema.Error<MethodNotAllowedClass>("MethodNotAllowed")(
  body(records.MethodNotAllowed),
  status("MethodNotAllowed")
) {
  readonly _tag = "MethodNotAllowed"
}

/** 405: the path exists, the method does not. */
export const MethodNotAllowed = constructors(MethodNotAllowedClass, records.MethodNotAllowed)
export type MethodNotAllowed<C extends CodeOf<"MethodNotAllowed"> = CodeOf<"MethodNotAllowed">> = Of<
  "MethodNotAllowed",
  C
>

export class NotAcceptableClass extends Schema.Error<NotAcceptableClass>("NotAcceptable")(
  body(records.NotAcceptable),
  status("NotAcceptable")
) {
  readonly _tag = "NotAcceptable"
}

/** 406: the client accepts no form in which there is an answer. */
export const NotAcceptable = constructors(NotAcceptableClass, records.NotAcceptable)
export type NotAcceptable<C extends CodeOf<"NotAcceptable"> = CodeOf<"NotAcceptable">> = Of<"NotAcceptable", C>

export class RequestTimeoutClass extends Schema.Error<RequestTimeoutClass>("RequestTimeout")(
  body(records.RequestTimeout),
  status("RequestTimeout")
) {
  readonly _tag = "RequestTimeout"
}

/** 408: the client did not send the whole head or body in time, and the connection is closed. */
export const RequestTimeout = constructors(RequestTimeoutClass, records.RequestTimeout)
export type RequestTimeout<C extends CodeOf<"RequestTimeout"> = CodeOf<"RequestTimeout">> = Of<"RequestTimeout", C>

export class ConflictClass extends Schema.Error<ConflictClass>("Conflict")(
  {
    ...body(records.Conflict),
    admission: Schema.optionalKey(AdmissionNumbers).annotateKey({
      description: "The numbers of the check against the sellable budget. Only of `budget_exceeded`."
    }),
    ceiling: Schema.optionalKey(Ceiling).annotateKey({
      description: "The numbers of the tenant's ceiling that the call would exceed. Absent where a ceiling has none."
    })
  },
  status("Conflict")
) {
  readonly _tag = "Conflict"
}

/** 409: the request is valid, but the present state does not allow it. */
export const Conflict = constructors(ConflictClass, records.Conflict)
export type Conflict<C extends CodeOf<"Conflict"> = CodeOf<"Conflict">> = Of<"Conflict", C>

export class TooLargeClass extends Schema.Error<TooLargeClass>("TooLarge")(body(records.TooLarge), status("TooLarge")) {
  readonly _tag = "TooLarge"
}

/** 413: the body is larger than the route takes. */
export const TooLarge = constructors(TooLargeClass, records.TooLarge)
export type TooLarge<C extends CodeOf<"TooLarge"> = CodeOf<"TooLarge">> = Of<"TooLarge", C>

export class UnsupportedMediaTypeClass extends Schema.Error<UnsupportedMediaTypeClass>("UnsupportedMediaType")(
  body(records.UnsupportedMediaType),
  status("UnsupportedMediaType")
) {
  readonly _tag = "UnsupportedMediaType"
}

/** 415: the route does not read bodies of this type. */
export const UnsupportedMediaType = constructors(UnsupportedMediaTypeClass, records.UnsupportedMediaType)
export type UnsupportedMediaType<C extends CodeOf<"UnsupportedMediaType"> = CodeOf<"UnsupportedMediaType">> = Of<
  "UnsupportedMediaType",
  C
>

export class InvalidClass extends Schema.Error<InvalidClass>("HTTPValidationError")(
  {
    ...body(records.Invalid),
    detail: Schema.Array(ValidationIssue).annotateKey({
      description: "The errors of the request, at most 100. The last one says how many more there are."
    })
  },
  status("Invalid")
) {
  readonly _tag = "Invalid"
}

/** 422: the request does not match its schema. The input is never echoed, because it may hold a secret. */
export const Invalid = constructors(InvalidClass, records.Invalid)
export type Invalid<C extends CodeOf<"Invalid"> = CodeOf<"Invalid">> = Of<"Invalid", C>

export class UnprocessableClass extends Schema.Error<UnprocessableClass>("Unprocessable")(
  body(records.Unprocessable),
  status("Unprocessable")
) {
  readonly _tag = "Unprocessable"
}

/** 422 with one sentence: the request matches its schema but can never succeed. */
export const Unprocessable = constructors(UnprocessableClass, records.Unprocessable)
export type Unprocessable<C extends CodeOf<"Unprocessable"> = CodeOf<"Unprocessable">> = Of<"Unprocessable", C>

export class TooManyRequestsClass extends Schema.Error<TooManyRequestsClass>("TooManyRequests")(
  body(records.TooManyRequests),
  status("TooManyRequests")
) {
  readonly _tag = "TooManyRequests"
}

/** 429: a rate limit is exceeded. `Retry-After` says when to try again. */
export const TooManyRequests = constructors(TooManyRequestsClass, records.TooManyRequests)
export type TooManyRequests<C extends CodeOf<"TooManyRequests"> = CodeOf<"TooManyRequests">> = Of<"TooManyRequests", C>

export class InternalClass extends Schema.Error<InternalClass>("Internal")(body(records.Internal), status("Internal")) {
  readonly _tag = "Internal"
}

/** 500: a defect of the gateway. The response discloses nothing else. */
export const Internal = constructors(InternalClass, records.Internal)
export type Internal<C extends CodeOf<"Internal"> = CodeOf<"Internal">> = Of<"Internal", C>

export class NotImplementedClass extends Schema.Error<NotImplementedClass>("NotImplemented")(
  body(records.NotImplemented),
  status("NotImplemented")
) {
  readonly _tag = "NotImplemented"
}

/** 501: the gateway does not know what the request asks of every server. */
export const NotImplemented = constructors(NotImplementedClass, records.NotImplemented)
export type NotImplemented<C extends CodeOf<"NotImplemented"> = CodeOf<"NotImplemented">> = Of<"NotImplemented", C>

export class BadGatewayClass extends Schema.Error<BadGatewayClass>("BadGateway")(
  {
    ...body(records.BadGateway),
    transient: Schema.optionalKey(Schema.Boolean).annotateKey({
      description:
        "True if the same call may succeed later, false if it would fail again. Absent when that is not known."
    }),
    applied: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
      description: "The steps that were written before the failure, and stay. Absent where the call has no such steps."
    }),
    left: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
      description: "The steps that the gateway could not undo, and tries to undo later. Absent when it undid all."
    })
  },
  status("BadGateway")
) {
  readonly _tag = "BadGateway"
}

/** 502: an upstream refused or failed; `detail` has its message. */
export const BadGateway = constructors(BadGatewayClass, records.BadGateway)
export type BadGateway<C extends CodeOf<"BadGateway"> = CodeOf<"BadGateway">> = Of<"BadGateway", C>

export class UnavailableClass extends Schema.Error<UnavailableClass>("Unavailable")(
  body(records.Unavailable),
  status("Unavailable")
) {
  readonly _tag = "Unavailable"
}

/** 503: data that the decision needs could not be read, so nothing was decided. */
export const Unavailable = constructors(UnavailableClass, records.Unavailable)
export type Unavailable<C extends CodeOf<"Unavailable"> = CodeOf<"Unavailable">> = Of<"Unavailable", C>

const classes = {
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  RequestTimeout,
  Conflict,
  TooLarge,
  UnsupportedMediaType,
  Invalid,
  Unprocessable,
  TooManyRequests,
  Internal,
  NotImplemented,
  BadGateway,
  Unavailable
}

/** A failure of the class with one of these codes. */
type Of<T extends Tag, C> = InstanceType<(typeof classes)[T]> & { readonly code: C }

export const Failure = Schema.Union(Object.values(classes))
export type Failure = typeof Failure.Type

/** The failure that has the code. */
export type FailureOf<C extends FailureCode> = {
  readonly [T in Tag]: [C & CodeOf<T>] extends [never] ? never : Of<T, C & CodeOf<T>>
}[Tag]

const isTag = (key: string): key is Tag => Object.hasOwn(statuses, key)

const answerOf = (tag: Tag, record: FailureRecord) => {
  const { cause, code } = record
  const { fields, identifier } = classes[tag]
  const body: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = {
    ...fields,
    code: Schema.Literal(code).annotateKey(codeField)
  }
  return Schema.Struct(body)
    .annotate({
      // The contract's name for a list of validation errors.
      identifier: tag === "Invalid" ? identifier : code,
      // Without the fix: it may name an operator route, and customers read this document too.
      description: cause,
      examples: [exampleOf(record)]
    })
    .pipe(Schema.decodeTo(classes[tag]))
    .annotate(status(tag))
}

/** Every failure with its record. */
export const failureTable = Object.keys(statuses)
  .filter(isTag)
  .flatMap((tag) =>
    Object.entries<FailureRecord>(records[tag]).map(([name, record]) => ({
      ...record,
      tag,
      /** The constructor, in the class of the tag. */
      name,
      status: statuses[tag],
      schema: answerOf(tag, record)
    }))
  )

/** An error response of an endpoint: the failures with these codes, and in the OpenAPI document the body of each. */
export interface Answer<C extends FailureCode> extends Schema.Codec<
  FailureOf<C>,
  { readonly detail: unknown; readonly code: C }
> {}

/** Declares the failures of an endpoint or a middleware. */
export function failures<const Codes extends ReadonlyArray<FailureCode>>(
  ...codes: Codes
): ReadonlyArray<Answer<Codes[number]>>
export function failures(...codes: ReadonlyArray<string>): ReadonlyArray<Schema.Top> {
  return failureTable.filter((_) => codes.includes(_.code)).map((_) => _.schema)
}

/** Of what counts against a ceiling of the tenant's tier, one change at a time. */
export const ceilingCodes = ["ceiling_reached", "concurrent_change", "tenant_not_found", "tier_unreadable"] as const

/** Of a change in a platform service, which refuses it, refuses it for now, or fails. */
export const upstreamCodes = ["upstream_conflict", "upstream_failed", "upstream_refused"] as const

/** Of a route with `?project=`, which is for platform administrators. */
export const overrideCodes = ["project_override_refused", "tenant_not_found", "tenant_required"] as const

/**
 * {@link failures} of {@link TooManyRequests} with a constant `Retry-After`
 * header (RFC 9110, section 10.2.3), in seconds.
 */
export const throttledFor = <const Codes extends ReadonlyArray<CodeOf<"TooManyRequests">>>(
  seconds: number,
  ...codes: Codes
) => {
  const body: Answer<Codes[number]> = Schema.Union(failures(...codes)).annotate(status("TooManyRequests"))
  return body.pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body, headers: { "retry-after": Schema.Int } },
      { decode: (_) => _.body, encode: (failure) => ({ body: failure, headers: { "retry-after": seconds } }) }
    )
  )
}
