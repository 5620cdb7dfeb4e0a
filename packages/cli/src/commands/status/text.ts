import type { Notice, ServiceStatus, StatusDocument, StatusRow } from "@portico/contract/Status"
import { signs } from "../../output/draw.ts"
import type { Frame } from "../../output/Frame.ts"
import { ink, type Ink } from "../../output/ink.ts"
import { localTime } from "../../output/localTime.ts"
import { harmless } from "../../output/sanitize.ts"
import { widthOf } from "../../output/width.ts"
import { paragraph } from "../../output/wrap.ts"

/** The state of the platform: one line when all is well, and otherwise what is not. */
export const statusText = (document: StatusDocument, frame: Frame): string => {
  const { incidents, maintenance, overall, services } = document
  const works = overall === "ok"
  const paint = ink(frame.colors)
  const headline = works
    ? `All ${services.length} services work.`
    : `The platform is ${painted(overall, paint)(overall)}.`
  return [
    `${markOf(overall, frame)} ${headline}`,
    ...(works ? [] : ["", ...rowsOf(services, frame)]),
    ...sectionOf("Incidents", incidents, frame),
    ...sectionOf("Maintenance", maintenance, frame)
  ].join("\n")
}

const painted = (status: ServiceStatus, paint: Ink) =>
  ({ ok: paint.green, degraded: paint.yellow, down: paint.red })[status]

const markOf = (status: ServiceStatus, frame: Frame): string => {
  const { done, failed, warning } = signs(frame)
  return painted(status, ink(frame.colors))({ ok: done, degraded: warning, down: failed }[status])
}

const rowsOf = (services: ReadonlyArray<StatusRow>, frame: Frame): ReadonlyArray<string> => {
  const widest = Math.max(...services.map((_) => _.service.length))
  return services.flatMap(({ detail, probe, service, status }) => {
    const plain = `  ${service.padEnd(widest)}  ${status}`
    const row = `${markOf(status, frame)} ${service.padEnd(widest)}  ${painted(status, ink(frame.colors))(status)}`
    if (status === "ok") return [row]
    const details = (probe === undefined ? [detail] : [detail, probe]).map(harmless)
    const [first = "", ...more] = details
    const fits = widthOf(plain) + 2 + widthOf(first) <= frame.columns
    const below = (fits ? more : details).flatMap((_) => paragraph(_, frame.columns, 4))
    return [fits ? `${row}  ${first}` : row, ...below]
  })
}

const sectionOf = (title: string, notices: ReadonlyArray<Notice>, frame: Frame): ReadonlyArray<string> =>
  notices.length === 0 ? [] : ["", ink(frame.colors).bold(title), ...notices.flatMap((_) => noticeOf(_, frame))]

const noticeOf = (notice: Notice, { colors, columns }: Frame): ReadonlyArray<string> => {
  const { ends_at, kind, message, services, severity, starts_at, title } = notice
  const paint = ink(colors)
  const ofTitle = kind === "incident" && severity === "critical" ? paint.red : paint.bold
  const affected = services.length === 0 ? "the whole platform" : services.join(", ")
  const end = ends_at === null ? "" : ` until ${localTime(ends_at)}`
  // The text may have several lines.
  const text = message.split("\n").map(harmless).join("\n")
  return [
    ...paragraph(`${severity}: ${harmless(title)}`, columns, 2).map(ofTitle),
    ...paragraph(`${affected}, from ${localTime(starts_at)}${end}`, columns, 4).map(paint.dim),
    ...(message === "" ? [] : paragraph(text, columns, 4))
  ]
}
