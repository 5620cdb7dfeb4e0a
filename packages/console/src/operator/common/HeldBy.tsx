import { Badge } from "../../ui/Badge.tsx"
import { Row } from "../../ui/layout.tsx"
import { OperatorState } from "./OperatorState.tsx"

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
