import { Result } from "effect"
import type { Incoming } from "../Wire.ts"
import { refuse, type Step } from "./status.ts"

/** How the client wants a resource to be written. */
export type Format = "json" | "table" | "partial"

/**
 * The first acceptable way of those that the client names. Nothing is
 * answered in YAML or protobuf, which every client offers JSON beside.
 */
export const formatOf = ({ headers }: Incoming): Step<Format> => {
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
  return refuse(406, "NotAcceptable", "only the following media types are accepted: application/json")
}
