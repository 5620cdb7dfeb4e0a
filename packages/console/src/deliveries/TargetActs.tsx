import type { ReactNode } from "react"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import type { TargetOperations } from "./target.ts"
import { words } from "./words.ts"

interface TargetActsProps<Id, Target> {
  readonly of: Id
  readonly enabled: boolean
  readonly operations: TargetOperations<Id, Target>
  /** Further acts, beside these. */
  readonly children: ReactNode
}

/** A ping, and the switch. */
export const TargetActs = <Id extends object, Target>(props: TargetActsProps<Id, Target>) => {
  const { children, enabled, of, operations } = props
  const t = useWords(words)
  const { tier } = useMe()
  const test = useAct(operations.test)
  const change = useAct(operations.update, { onDone: () => toast(enabled ? t.switchedOff : t.switchedOn) })
  const switched = { ...of, enabled: !enabled }
  if (tier < 1) return null
  return (
    <>
      <Row>
        <Button busy={test.pending} onClick={() => void test.act(of)}>
          {t.test}
        </Button>
        <Button busy={change.pending} onClick={() => void change.act(switched)}>
          {enabled ? t.disable : t.enable}
        </Button>
        {children}
        <CopyAs
          calls={[
            { operation: test.operation, input: of },
            { operation: change.operation, input: switched }
          ]}
        />
      </Row>
      {test.answer === undefined || test.pending ? null : (
        <p role="status">
          {test.answer.delivered ? t.testGood(test.answer.duration_ms) : t.testBad(test.answer.error ?? "")}
        </p>
      )}
      <RefusalBox refusal={test.refusal} />
      <RefusalBox refusal={change.refusal} />
    </>
  )
}
