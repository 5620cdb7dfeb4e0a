import { Eye, EyeOff, RotateCw } from "lucide-react"
import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Card, Muted, Row, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { DatabaseDetail } from "./database.tsx"
import { words } from "./words.ts"

type Credentials = Awaited<ReturnType<typeof portico.databases.credentials>>

/** How to connect. What is secret is read when it is asked for, and forgotten when it is hidden. */
export const Connection = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const me = useMe()
  const rotation = useDialog("rotate")
  const { engine, name } = database
  const shown = useAct(portico.databases.credentials)
  const input = { engine, name }
  return (
    <Card title={t.connection}>
      <Muted small>{t.connectionText}</Muted>
      {shown.answer === undefined ? null : <Parts credentials={shown.answer} />}
      <RefusalBox refusal={shown.refusal} />
      <Row>
        {shown.answer === undefined ? (
          <Button icon={Eye} busy={shown.pending} onClick={() => void shown.act(input)}>
            {t.show}
          </Button>
        ) : (
          <Button icon={EyeOff} onClick={shown.reset}>
            {t.hide}
          </Button>
        )}
        {engine === "kafka" || me.tier < 1 ? null : (
          <Button icon={RotateCw} onClick={() => rotation.show()}>
            {t.rotate}
          </Button>
        )}
      </Row>
      <ActDialog
        dialog="rotate"
        write={portico.databases.rotateCredentials}
        input={input}
        title={t.rotate}
        verb={t.rotate}
        done={t.rotated}
        onDone={() => {
          shown.reset()
          rotation.close()
        }}
      >
        {t.rotateText}
      </ActDialog>
    </Card>
  )
}

const Parts = ({ credentials }: { readonly credentials: Credentials }) => {
  const t = useWords(words)
  const parts =
    credentials.engine === "kafka"
      ? [{ label: t.bootstrap, value: credentials.bootstrap }]
      : [
          { label: t.uri, value: credentials.uri },
          { label: t.host, value: `${credentials.host}:${credentials.port}` },
          { label: t.dbname, value: credentials.dbname },
          { label: t.user, value: credentials.username },
          { label: t.password, value: credentials.password }
        ]
  return (
    <Stack>
      {parts.map(({ label, value }) => (
        <Stack tight key={label}>
          <strong>{label}</strong>
          <Code label={label} text={value} />
        </Stack>
      ))}
      {credentials.engine === "kafka" ? <Muted>{t.noLogin}</Muted> : null}
    </Stack>
  )
}
