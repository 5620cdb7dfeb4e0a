import { Result } from "effect"
import type { Incoming, Step } from "../Wire.ts"
import { refuse } from "./status.ts"

/** The representation of an answer. */
export type Format = "json" | "table" | "partial"

/**
 * The first acceptable representation of the client's list. The simulator answers neither YAML nor protobuf;
 * every client offers JSON as well.
 */
export const formatOf = ({ headers }: Incoming, custom = false): Step<Format> => {
  const accepted = (headers["accept"] ?? "*/*").split(",").map((_) => _.split(";").map((part) => part.trim()))
  for (const [type = "", ...parameters] of accepted) {
    if (!["application/json", "application/*", "*/*"].includes(type)) continue
    const as = parameters.find((_) => _.startsWith("as="))?.slice(3)
    const version = parameters.find((_) => _.startsWith("v="))?.slice(2)
    if (as === undefined) return Result.succeed("json")
    if (version !== "v1" || !parameters.includes("g=meta.k8s.io")) continue
    if (as === "Table") return Result.succeed("table")
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return Result.succeed("partial")
  }
  // Built-in kinds are refused by the router, custom ones by the handler behind it.
  return custom
    ? refuse(
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
      )
    : refuse(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, " +
          "application/vnd.kubernetes.protobuf",
        {}
      )
}
