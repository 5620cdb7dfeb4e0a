import { Result } from "effect"
import { json, type Routes } from "../Wire.ts"
import { type Attributes, flag, text } from "./attributes.ts"
import { failed } from "./errors.ts"
import { filtered } from "./lists.ts"
import { call } from "./request.ts"

/** The kinds of routers that the stock router service knows, whether or not its configuration allows them. */
const providers = ["dvrha", "dvr", "ha", "single_node"].map((name) => ({
  service_type: "L3_ROUTER_NAT",
  name,
  default: false
}))

const attributes: Attributes = { service_type: { check: text }, name: { check: text }, default: { check: flag } }

export const serviceProviderRoutes: Routes = {
  "GET /v2.0/service-providers": call(({ incoming }) =>
    Result.map(filtered(attributes, incoming.query, providers), (service_providers) => json(200, { service_providers }))
  ),
  // Neutron has no way to show one.
  "GET /v2.0/service-providers/:id": call(() => failed)
}
