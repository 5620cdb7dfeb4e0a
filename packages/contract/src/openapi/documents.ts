import { OpenApi } from "effect/http-api"
import { CustomerApi, OperatorApi } from "../Api.ts"
import { documented } from "./documented.ts"
import { placeholders } from "./security.ts"
import examples from "../../generated/examples.json" with { type: "json" }

/** The OpenAPI document of each plane, with placeholders for addresses: the committed ones. */
export const documents = {
  customer: OpenApi.fromApi(documented(CustomerApi, "customer", placeholders, examples)),
  operator: OpenApi.fromApi(documented(OperatorApi, "operator", placeholders, examples))
}
