import type { DeliveryOperations } from "./Resource.ts"

/** Sends every event that was given up once more, each once. */
export const redeliverAll = async <Id>(
  { deliveries, redeliver }: DeliveryOperations<Id>,
  of: Id,
  report: (count: number) => void
): Promise<void> => {
  const events = new Set<string>()
  for await (const { event_id } of deliveries.all({ ...of, state: "failed" })) events.add(event_id)
  let sent = 0
  for (const event_id of events) {
    await redeliver({ ...of, event_id })
    report((sent += 1))
  }
}
