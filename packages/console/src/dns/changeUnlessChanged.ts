import { portico } from "../api/portico.ts"
import { type Content, isSame, type Recordset, recordTypes } from "./recordset.ts"

interface Change {
  /** The recordset as the person saw it at the start. */
  readonly seen: Recordset
  readonly wanted: Content
}

export type Outcome =
  | { readonly outcome: "saved" }
  /** Undefined when it is gone. */
  | { readonly outcome: "changed"; readonly now: Recordset | undefined }

/**
 * Changes a recordset unless somebody else has changed it since. The API has
 * no conditional change, so it is read again just before: what comes between
 * these two calls is not seen.
 */
export const changeUnlessChanged = Object.assign(
  async ({ seen, wanted }: Change): Promise<Outcome> => {
    const { name, recordset_id, type, zone_id } = seen
    const written = recordTypes.find((_) => _ === type)
    const { recordsets } = await portico.dns.recordsets({ zone_id, name, type: written })
    const now = recordsets.find((_) => _.recordset_id === recordset_id)
    if (now === undefined || !isSame(now, seen)) return { outcome: "changed", now }
    await portico.dns.changeRecordset({ zone_id, recordset_id, records: wanted.records, ttl: wanted.ttl })
    return { outcome: "saved" }
  },
  { operation: portico.dns.changeRecordset.operation }
)
