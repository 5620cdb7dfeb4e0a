import { SearchX } from "lucide-react"
import { useParams } from "wouter"
import { ButtonLink } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Loading } from "../ui/Loading.tsx"
import { useWords } from "../words/words.ts"
import { useOperations } from "./catalogue.tsx"
import { Operation } from "./Operation.tsx"
import { words } from "./words.ts"

const OperationPage = () => {
  const t = useWords(words)
  const { operation_id: id = "" } = useParams()
  const operations = useOperations()
  if (operations === undefined) return <Loading />
  const shape = operations.find((_) => _.id === id)
  return shape === undefined ? (
    <EmptyState icon={SearchX} title={t.unknown} action={<ButtonLink href="/operations">{t.title}</ButtonLink>}>
      {t.unknownText}
    </EmptyState>
  ) : (
    <Operation key={shape.id} shape={shape} />
  )
}

export default OperationPage
