import { useQuery } from "@tanstack/react-query"
import { portico } from "../api/portico.ts"
import { refusalOf } from "../api/refusal.ts"
import { topicOf } from "../events/topics.ts"
import { Code } from "../ui/Code.tsx"
import { Loading } from "../ui/Loading.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useWords } from "../words/words.ts"
import type { Delivery } from "./target.ts"
import { words } from "./words.ts"

/** The event of a delivery: the newest of its kind are looked at first, and no later ones than the delivery. */
const eventOf = async ({ created_at, event_id, kind, topic }: Delivery, signal: AbortSignal) => {
  const known = topicOf(topic)
  const until = new Date(new Date(created_at).getTime() + 1000).toISOString()
  const input = { topic: known === undefined ? undefined : [known], kind: [kind], order: "desc" as const, until }
  for await (const event of portico.events.list.all({ ...input, limit: 200 }, { signal }))
    if (event.id === event_id) return event
  return null
}

/** What the receiver gets. */
export const Payload = ({ delivery }: { readonly delivery: Delivery }) => {
  const t = useWords(words)
  const event = useQuery({
    queryKey: ["events.list", "delivered", delivery.event_id],
    queryFn: ({ signal }) => eventOf(delivery, signal),
    staleTime: Infinity
  })
  if (event.error !== null) return <RefusalBox refusal={refusalOf(event.error)} again={() => void event.refetch()} />
  if (event.data === undefined) return <Loading />
  return event.data === null ? (
    <p>{t.noPayload}</p>
  ) : (
    <Code label={t.payload} text={JSON.stringify(event.data, null, 2)} />
  )
}
