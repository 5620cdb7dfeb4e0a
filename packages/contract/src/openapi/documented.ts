import { Predicate } from "effect"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { OperatorApi } from "../Api.ts"
import { creatingRoutes } from "../Idempotency.ts"
import { withAccess } from "./access.ts"
import { type Examples, withExamples } from "./examples.ts"
import { introductions, summaries } from "./introduction.ts"
import { withAllowances } from "./limits.ts"
import { withIdempotencyKeys, withParameterDescriptions, withTypedQueries } from "./parameters.ts"
import { withPortablePatterns } from "./patterns.ts"
import { withResponseSentences } from "./responses.ts"
import {
  withOptionalBodies,
  withoutSafeBounds,
  withoutSingleChoices,
  withPlainFields,
  withPlainNames
} from "./schemas.ts"
import { withSections } from "./sections.ts"
import { type Addresses, withSecurity } from "./security.ts"
import { withStreams } from "./streams.ts"
import type { Spec } from "./tree.ts"
import { wildcardAsPath } from "./wildcards.ts"

export type { Examples } from "./examples.ts"
export type { Addresses } from "./security.ts"

type Plane = "customer" | "operator"

const creating = creatingRoutes(OperatorApi)

/**
 * Adapts the generated document, in this order, where it has to say more than
 * the declarations, or something else.
 */
const steps = (plane: Plane, addresses: Addresses, examples: Examples): ReadonlyArray<(spec: Spec) => Spec> => [
  (spec) => withIntroduction(spec, plane),
  withSections,
  (spec) => withIdempotencyKeys(spec, creating),
  withPlainFields,
  withoutSingleChoices,
  withoutSafeBounds,
  withPortablePatterns,
  withParameterDescriptions,
  withTypedQueries,
  withOptionalBodies,
  withResponseSentences,
  withAllowances,
  withAccess,
  wildcardAsPath,
  // After the steps that look at what the declarations require.
  (spec) => withSecurity(spec, addresses),
  // Before what marks a stream is removed.
  withStreams,
  withPlainNames,
  (spec) => withExamples(spec, examples)
]

const withIntroduction = (spec: Spec, plane: Plane): Spec => ({
  ...spec,
  info: {
    ...(Predicate.isObject(spec["info"]) ? spec["info"] : {}),
    summary: summaries[plane],
    description: introductions[plane]
  }
})

/**
 * The complete document of an API. The APIs of `Api.ts` do without these steps,
 * so that a client that imports them loads nothing of this.
 */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  plane: Plane,
  addresses: Addresses,
  examples: Examples
): OpenApi.OpenAPISpec =>
  OpenApi.fromApi(
    api.annotate(OpenApi.Transform, (spec) =>
      steps(plane, addresses, examples).reduce((changed, step) => step(changed), spec)
    ),
    { includeAnnotationKey: (_) => _ === "deprecated" }
  )
