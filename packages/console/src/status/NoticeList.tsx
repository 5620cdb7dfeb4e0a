import { Badge } from "../ui/Badge.tsx"
import { Muted, Row, Stack } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import styles from "./NoticeList.module.css"
import type { StatusDocument } from "./ServiceState.tsx"
import { serviceNames, words } from "./words.ts"

type Notice = StatusDocument["incidents"][number]

const tones = { minor: "warn", major: "bad", critical: "bad" } as const

/** What operators have announced, in their own words. */
export const NoticeList = ({ notices }: { readonly notices: ReadonlyArray<Notice> }) =>
  notices.length === 0 ? null : (
    <ul className={styles["list"]}>
      {notices.map((notice) => (
        <li key={notice.incident_id} className={styles["notice"]}>
          <NoticeText notice={notice} />
        </li>
      ))}
    </ul>
  )

const NoticeText = ({ notice }: { readonly notice: Notice }) => {
  const t = useWords(words)
  const names = useWords(serviceNames)
  const { ends_at, kind, message, services, severity, starts_at, title } = notice
  const isIncident = kind === "incident"
  return (
    <Stack tight>
      <Row>
        <Badge tone={isIncident ? tones[severity] : "busy"}>
          {isIncident ? `${t.incident} · ${t[severity]}` : t.maintenance}
        </Badge>
        <strong>{title}</strong>
      </Row>
      {message === "" ? null : <p className={styles["message"]}>{message}</p>}
      <Muted small>
        {services.length === 0 ? t.wholePlatform : services.map((_) => names[_]).join(", ")} · {t.from}{" "}
        <Time at={starts_at} as="moment" />{" "}
        {ends_at === null ? (
          `· ${t.openEnd}`
        ) : (
          <>
            {t.until} <Time at={ends_at} as="moment" />
          </>
        )}
      </Muted>
    </Stack>
  )
}
