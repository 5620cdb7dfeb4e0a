import styles from "./Meter.module.css"

interface MeterProps {
  readonly label: string
  readonly used: number
  readonly limit: number
  /** The figures in words, such as `3 of 10 GiB`. */
  readonly text: string
}

/** How much of a limit is used, as a bar. */
export const Meter = ({ label, limit, text, used }: MeterProps) => {
  const share = limit <= 0 ? (used > 0 ? 1 : 0) : Math.min(1, used / limit)
  // Full is no fault: a limit of one is used up by one.
  const tone = used > Math.max(0, limit) ? styles["bad"] : share >= 0.8 ? styles["warn"] : ""
  return (
    <div className={styles["meter"]}>
      <div className={styles["head"]}>
        <span>{label}</span>
        <span>{text}</span>
      </div>
      <div
        className={styles["track"]}
        role="meter"
        aria-label={label}
        aria-valuetext={text}
        aria-valuemin={0}
        aria-valuenow={used}
        aria-valuemax={Math.max(limit, used)}
      >
        <div className={[styles["fill"], tone].join(" ")} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
