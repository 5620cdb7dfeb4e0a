import { Link } from "wouter"
import * as v from "valibot"
import { listOf, text } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Mono, Muted } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Volume } from "./volume.ts"
import { words } from "./volumeWords.ts"

const servers = listOf("servers", v.object({ id: v.string(), name: text }))

/** The server that has a volume, by its name. */
export const AttachedTo = ({ volume }: { readonly volume: Volume }) => {
  const t = useWords(words)
  const names = usePlatform(servers, "compute/servers?limit=1000", { enabled: volume.attachments.length > 0 }).data
  const [attachment] = volume.attachments
  if (attachment === undefined) return <Muted>{t.notAttached}</Muted>
  const { device, server_id } = attachment
  return (
    <>
      <Link href={`/compute/servers/${server_id}`}>{names?.find((_) => _.id === server_id)?.name ?? server_id}</Link>{" "}
      <Muted small>
        <Mono>{device}</Mono>
      </Muted>
    </>
  )
}
