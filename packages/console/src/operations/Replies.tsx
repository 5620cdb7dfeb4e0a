import type { Shape } from "@portico/client/catalogue/Catalogue"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Card, Muted, Row } from "../ui/layout.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { words as kit } from "../ui/words.ts"
import { useWords } from "../words/words.ts"
import type { Reply } from "./send.ts"
import { words } from "./words.ts"

interface RepliesProps {
  readonly shape: Shape
  readonly replies: ReadonlyArray<Reply>
  readonly more: (() => void) | undefined
  readonly pending: boolean
  readonly onSaved: () => void
}

/** What came back, as it is. A secret that is never shown again is shown until it is saved. */
export const Replies = ({ more, onSaved, pending, replies, shape }: RepliesProps) => {
  const t = useWords(words)
  const k = useWords(kit)
  if (shape.secret === "new") {
    const secrets = replies.map(({ text }) => ({ label: t.answer, value: text }))
    return <SecretOnce title={t.secretTitle} secrets={secrets.length === 0 ? undefined : secrets} onClose={onSaved} />
  }
  return (
    <>
      {replies.map(({ requestId, status, text }, index) => {
        const title = replies.length === 1 ? t.answer : t.answerOf(index + 1)
        return (
          <Card
            // Answers come one after the other and stay.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            title={title}
            actions={
              <Row>
                <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>
                {requestId === undefined ? null : <Muted small>{t.request(requestId)}</Muted>}
              </Row>
            }
          >
            {text === "" ? <Muted>{t.noContent}</Muted> : <Code label={title} text={text} />}
          </Card>
        )
      })}
      {more === undefined ? null : (
        <div>
          <Button onClick={more} busy={pending}>
            {k.more}
          </Button>
        </div>
      )}
    </>
  )
}
