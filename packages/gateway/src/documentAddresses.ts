import type { Addresses } from "@portico/contract/openapi/documented"
import type { Plane } from "@portico/domain/health/readiness"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Option } from "effect"

const publicUrls = {
  customer: "CUSTOMER_PUBLIC_URL",
  operator: "OPERATOR_PUBLIC_URL",
  agent: "AGENT_PUBLIC_URL"
} as const

/**
 * The addresses that the served document of a plane names. Without a public
 * URL the server is relative to the document, so that it is right wherever the
 * client reached it.
 */
export const documentAddresses = (plane: Plane): Config.Config<Addresses> =>
  Config.all({
    server: Config.option(Config.URL(publicUrls[plane])).pipe(
      Config.map(Option.match({ onNone: () => "/", onSome: baseOf }))
    ),
    issuer: Config.map(Config.URL("AUTH_URL"), baseOf),
    projectId: Config.String("ZITADEL_PROJECT_ID")
  })
