import { OpenApi } from "effect/http-api"
import { CustomerApi, OperatorApi } from "../Api.ts"
import { documented } from "./documented.ts"
import { placeholders } from "./security.ts"

/** The OpenAPI document of each plane, with placeholders for addresses: the committed ones. */
export const documents = {
  customer: OpenApi.fromApi(documented(CustomerApi, "customer", placeholders)),
  operator: OpenApi.fromApi(documented(OperatorApi, "operator", placeholders))
}
