import { useQuery } from "@tanstack/react-query"
import { RotateCw } from "lucide-react"
import * as v from "valibot"
import { refusalOf } from "../api/refusal.ts"
import { useMay } from "../platform/may.ts"
import { platformCall } from "../platform/platform.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Muted, Row } from "../ui/layout.tsx"
import { useNow } from "../words/useNow.ts"
import { useWords } from "../words/words.ts"
import type { Server } from "./server.ts"
import { ServerFrame } from "./ServerFrame.tsx"
import { words } from "./words.ts"

const Output = v.pipe(
  v.object({ output: v.nullish(v.string()) }),
  v.transform((_) => _.output ?? "")
)

const lines = 500
const everyMillis = 3000

/** How long after its creation a server is taken to be starting. */
const startingMillis = 5 * 60_000

/**
 * The log is read with a POST, which leaves a record in the audit: it is
 * followed while the server starts, and later read when somebody asks. Its key
 * is not one of the platform's, for each record would make it out of date.
 */
const useLog = (server: Server) => {
  const may = useMay()
  const now = useNow()
  const isStarting = server.created !== null && now - new Date(server.created).getTime() < startingMillis
  const isFollowed = server.status === "ACTIVE" && isStarting
  const log = useQuery({
    queryKey: ["console-log", server.id, server.status],
    queryFn: async ({ signal }) =>
      v.parse(
        Output,
        await platformCall("POST", `compute/servers/${server.id}/action`, {
          body: { "os-getConsoleOutput": { length: lines } },
          signal
        })
      ),
    enabled: may.change && server.status !== "BUILD",
    staleTime: Infinity,
    refetchInterval: isFollowed ? everyMillis : false
  })
  return { log, isFollowed, mayRead: may.change }
}

const Log = ({ server }: { readonly server: Server }) => {
  const t = useWords(words)
  const { isFollowed, log, mayRead } = useLog(server)
  if (!mayRead) return <Muted>{t.logNeedsTier}</Muted>
  return (
    <>
      <Row spread>
        <Muted>
          {t.logAbout} {isFollowed ? t.logFollowing : ""}
        </Muted>
        <Button icon={RotateCw} busy={log.isFetching && !isFollowed} onClick={() => void log.refetch()}>
          {t.logAgain}
        </Button>
      </Row>
      <Answered
        answer={{
          data: log.data,
          refusal: log.error === null ? undefined : refusalOf(log.error),
          pending: log.isPending,
          fetching: log.isFetching,
          again: () => void log.refetch()
        }}
      >
        {(text) => (text === "" ? <Muted>{t.logEmpty}</Muted> : <Code label={t.log} text={text} />)}
      </Answered>
    </>
  )
}

const ServerLogPage = () => <ServerFrame>{(server) => <Log server={server} />}</ServerFrame>

export default ServerLogPage
