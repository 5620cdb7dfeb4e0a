import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { MonthCurve } from "./MonthCurve.tsx"
import { words } from "./words.ts"

/** Who may not see money, and clouds without billing, have no such card. */
const withoutMoney = new Set(["billing_access_required", "service_not_found"])

export const SpendCard = () => {
  const t = useWords(words)
  const answer = useAnswer(portico.money.forecast, {})
  if (answer.refusal !== undefined && withoutMoney.has(answer.refusal.code)) return null
  return (
    <Card title={t.spend} actions={<Link href="/costs">{t.costs}</Link>}>
      <Answered answer={answer}>{(forecast) => <MonthCurve forecast={forecast} />}</Answered>
    </Card>
  )
}
