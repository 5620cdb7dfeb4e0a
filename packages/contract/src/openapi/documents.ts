import { CustomerApi, OperatorApi } from "../Api.ts"
import { documentOf } from "./documented.ts"
import { placeholders } from "./security.ts"
import examples from "../../generated/examples.json" with { type: "json" }

/** The OpenAPI document of each plane, with placeholders for addresses: the committed ones. */
export const documents = {
  customer: documentOf(CustomerApi, "customer", placeholders, examples),
  operator: documentOf(OperatorApi, "operator", placeholders, examples)
}
