import { Badge, type Tone, toneOf } from "../../ui/Badge.tsx"
import { Row } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { stateNames } from "./stateNames.ts"

export type KnownState = keyof typeof stateNames.en

interface OperatorStateProps {
  readonly state: KnownState
  readonly tone?: Tone
}

/** A state of the gateway's own in the person's language. Upstreams' states stay in the upstream's words. */
export const OperatorState = ({ state, tone = toneOf(state) }: OperatorStateProps) => {
  const names = useWords(stateNames)
  return <Badge tone={tone}>{names[state]}</Badge>
}

/** The choices of a filter by state. */
export const useStateChoices = <State extends KnownState>(
  all: string,
  states: ReadonlyArray<State>
): ReadonlyArray<{ readonly value: string; readonly label: string }> => {
  const names = useWords(stateNames)
  return [{ value: "", label: all }, ...states.map((value) => ({ value, label: names[value] }))]
}

/** Why a project cannot be changed. */
export const HeldBy = ({ reasons }: { readonly reasons: ReadonlyArray<string> }) => (
  <Row>
    {reasons.map((_) =>
      _ === "project_deletion" || _ === "account_closure" ? (
        <OperatorState key={_} state={_} />
      ) : (
        <Badge key={_}>{_}</Badge>
      )
    )}
  </Row>
)
