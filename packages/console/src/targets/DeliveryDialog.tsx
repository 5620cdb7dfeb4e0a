import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Facts, Mono, Muted, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import { Payload } from "./Payload.tsx"
import type { DeliveryOperations } from "./Resource.ts"
import type { Delivery } from "./target.ts"
import { words } from "./words.ts"

/** Every attempt with its answer. */
export const Attempts = ({ delivery: { attempts, error } }: { readonly delivery: Delivery }) => {
  const t = useWords(words)
  if (attempts.length === 0) return <Muted small>{error ?? t.noAttempts}</Muted>
  return attempts.map((_) => (
    <div key={_.at}>
      {_.error ?? <Mono>{_.status ?? t.noAnswer}</Mono>} <Muted small>{`${_.duration_ms} ms`}</Muted>
    </div>
  ))
}

const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }) => {
  const t = useWords(words)
  const { created_at, error, event_id, finished_at, kind, redelivery, state } = delivery
  return (
    <Facts
      facts={[
        {
          label: t.state,
          value: (
            <>
              <State state={state} /> {error}
            </>
          )
        },
        {
          label: t.kind,
          value: (
            <>
              <Mono>{kind}</Mono> {redelivery ? <Muted small>{t.redelivery}</Muted> : null}
            </>
          )
        },
        { label: t.event, value: <Mono>{event_id}</Mono> },
        { label: t.when, value: <Time at={created_at} as="moment" /> },
        ...(finished_at === null ? [] : [{ label: t.finished, value: <Time at={finished_at} as="moment" /> }]),
        { label: t.attempts, value: <Attempts delivery={delivery} /> }
      ]}
    />
  )
}

interface DeliveryDialogProps<Id> {
  readonly of: Id
  readonly operations: DeliveryOperations<Id>
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** What was sent and what came back, and the act that sends it once more. */
export const DeliveryDialog = <Id extends object>(props: DeliveryDialogProps<Id>) => {
  const { delivery, of, onClose, operations } = props
  const t = useWords(words)
  const { tier } = useMe()
  const redeliver = useAct(operations.redeliver, {
    onDone: () => {
      toast(t.redelivered)
      onClose()
    }
  })
  const input = { ...of, event_id: delivery.event_id }
  return (
    <Dialog open onClose={onClose} title={`${t.delivery}: ${delivery.kind}`} wide>
      <Stack>
        <DeliveryFacts delivery={delivery} />
        <Payload delivery={delivery} />
        <RefusalBox refusal={redeliver.refusal} />
      </Stack>
      {tier < 1 || delivery.state === "pending" ? null : (
        <Foot>
          <CopyAs calls={[{ operation: redeliver.operation, input }]} />
          <Button kind="primary" busy={redeliver.pending} onClick={() => void redeliver.act(input)}>
            {t.redeliver}
          </Button>
        </Foot>
      )}
    </Dialog>
  )
}
