import { Page } from "../app/Page.tsx"
import { useConsoleConfig } from "../session/config.ts"
import { ButtonLink } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Card } from "../ui/layout.tsx"
import { Loading } from "../ui/Loading.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const settingsOf = (url: string): string =>
  JSON.stringify(
    { mcpServers: { portico: { type: "http", url, headers: { Authorization: "Bearer TOKEN" } } } },
    null,
    2
  )

const ConnectPage = () => {
  const t = useWords(words)
  const config = useConsoleConfig()
  const url = config?.agent_url
  return (
    <Page
      title={t.connect}
      about={t.connectAbout}
      up={{ href: "/agents", title: t.title }}
      actions={<ButtonLink href="/agents?dialog=mint">{t.mint}</ButtonLink>}
    >
      {config === undefined ? <Loading /> : null}
      {url === null ? <p role="status">{t.noAddress}</p> : null}
      {url === undefined || url === null ? null : (
        <>
          <Card title={t.address}>
            <Code label={t.address} text={url} />
          </Card>
          <Card title={t.snippet}>
            <p>{t.snippetText}</p>
            <Code label={t.snippet} text={settingsOf(url)} />
          </Card>
        </>
      )}
    </Page>
  )
}

export default ConnectPage
