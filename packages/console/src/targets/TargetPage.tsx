import { useParams } from "wouter"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

interface TargetProps<In extends Inputs, Target extends Sending> {
  readonly resource: Resource<In, Target>
  readonly target: Target
}

/** A ping, the switch, and the dialogs. */
const Acts = <In extends Inputs, Target extends Sending>({ resource, target }: TargetProps<In, Target>) => {
  const { idOf, of, operations, Rotate, rotates } = resource
  const t = useWords(resource.words)
  const shared = useWords(words)
  const { tier } = useMe()
  const dialogs = { change: useDialog("change"), rotate: useDialog("rotate"), remove: useDialog("remove") }
  const test = useAct(operations.test)
  const update = useAct(operations.update, {
    onDone: () => toast(target.enabled ? shared.switchedOff : shared.switchedOn)
  })
  const input = of(idOf(target))
  const switched = { ...input, enabled: !target.enabled }
  return (
    <>
      {tier < 1 ? null : (
        <>
          <Row>
            <Button busy={test.pending} onClick={() => void test.act(input)}>
              {shared.test}
            </Button>
            <Button busy={update.pending} onClick={() => void update.act(switched)}>
              {target.enabled ? shared.disable : shared.enable}
            </Button>
            <Button onClick={() => dialogs.change.show()}>{shared.change}</Button>
            {rotates(target) ? <Button onClick={() => dialogs.rotate.show()}>{t.rotate}</Button> : null}
            {tier < 2 ? null : (
              <Button kind="danger" onClick={() => dialogs.remove.show()}>
                {shared.remove}
              </Button>
            )}
            <CopyAs
              calls={[
                { operation: test.operation, input },
                { operation: update.operation, input: switched }
              ]}
            />
          </Row>
          {test.answer === undefined || test.pending ? null : (
            <p role="status">
              {test.answer.delivered
                ? shared.testGood(test.answer.duration_ms)
                : shared.testBad(test.answer.error ?? "")}
            </p>
          )}
          <RefusalBox refusal={test.refusal} />
          <RefusalBox refusal={update.refusal} />
        </>
      )}
      {dialogs.change.open ? <ChangeDialog resource={resource} target={target} onClose={dialogs.change.close} /> : null}
      <Rotate target={target} />
      <RemoveDialog resource={resource} target={target} />
    </>
  )
}

export const TargetPage = <In extends Inputs, Target extends Sending>({
  resource
}: Pick<TargetProps<In, Target>, "resource">) => {
  const { Facts, Further, nameOf, of, operations, path } = resource
  const t = useWords(resource.words)
  const { id = "" } = useParams()
  const answer = useAnswer(operations.show, of(id))
  return (
    <Page title={answer.data === undefined ? t.one : nameOf(answer.data)} up={{ href: path, title: t.title }}>
      <Answered answer={answer}>
        {(target) => (
          <>
            <Card title={t.facts}>
              <Facts target={target} />
              <Acts resource={resource} target={target} />
            </Card>
            {Further === undefined ? null : <Further target={target} />}
            <Deliveries of={of(id)} href={`${path}/${id}`} operations={operations} />
          </>
        )}
      </Answered>
    </Page>
  )
}
