import type { Forbidden } from "@portico/contract/Failures"
import { denied } from "@portico/domain/access/limits"
import { imageDevices as devices } from "@portico/upstream/nova/imageDevices"
import { Effect } from "effect"
import { isFalsy, memberOf, word } from "../../acts/reading.ts"
import { ruleAt } from "./Rule.ts"

const creates: ReadonlySet<string> = new Set(["servers", "os-volumes-boot"])

/** The spellings of an id that compute takes (oslo.utils, `is_uuid_like`), and some that it refuses. */
const id = /^(?:urn:|uuid:|[{}\da-f-])+$/i

/**
 * A policy's deny of volumes covers servers whose image brings them: compute fills new volumes from the snapshots that
 * the image names. An image that the caller cannot see is left to compute.
 */
export const imageDevices = ruleAt<Forbidden<"policy_denied">>({
  at: ({ caller, method, segments, service }) =>
    method === "POST" && service === "compute" && segments.length === 1 && creates.has(word(segments[0]))
      ? denied(caller, "volume", 1)
      : undefined,
  reads: () => "body",
  check: Effect.fnUntraced(function* (denial, call, body) {
    const given = memberOf(body, "server", "imageRef")
    const image = typeof given === "string" ? given.split("/").at(-1) : undefined
    if (image === undefined || !id.test(image)) return
    const metadata = memberOf(yield* call.read(["images", image]), "image", "metadata")
    if (devices.some((_) => !isFalsy(memberOf(metadata, _)))) return yield* denial
  })
})
