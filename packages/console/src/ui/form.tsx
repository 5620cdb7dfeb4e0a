import { type FormEvent, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react"
import { useWords } from "../words/words.ts"
import styles from "./form.module.css"
import { words } from "./words.ts"

interface FormProps {
  readonly onSubmit: () => void
  readonly children: ReactNode
  /** What it is, where no title is near. */
  readonly label?: string
}

/** Sends with Enter and with its button. What is wrong is said by the gateway, next to the field. */
export const Form = ({ children, label, onSubmit }: FormProps) => {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React's events pass through portals: a form in a dialog is not part of the one around it.
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form className={styles["form"]} onSubmit={submit} noValidate aria-label={label}>
      {children}
    </form>
  )
}

interface Labelled {
  readonly label: string
  readonly help?: ReactNode
  /** Why the gateway refuses the value. */
  readonly error?: string | undefined
  readonly optional?: boolean
}

interface FieldProps extends Labelled {
  readonly children: (ids: {
    readonly id: string
    readonly "aria-describedby": string
    readonly "aria-invalid": boolean
  }) => ReactNode
}

/** A label, a control, and what is to be said about it. */
export const Field = ({ children, error, help, label, optional = false }: FieldProps) => {
  const t = useWords(words)
  const id = useId()
  return (
    <div className={styles["field"]}>
      <label className={styles["label"]} htmlFor={id}>
        {label} {optional ? <small>({t.optional})</small> : null}
      </label>
      {children({ id, "aria-describedby": `${id}-about`, "aria-invalid": error !== undefined })}
      <div id={`${id}-about`}>
        {error === undefined ? null : <p className={styles["error"]}>{error}</p>}
        {help === undefined ? null : <p className={styles["help"]}>{help}</p>}
      </div>
    </div>
  )
}

interface TextFieldProps
  extends Labelled, Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "className"> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextField = ({ error, help, label, onChange, optional, value, ...rest }: TextFieldProps) => (
  <Field label={label} help={help} error={error} {...(optional === undefined ? {} : { optional })}>
    {(ids) => (
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...ids}
        className={styles["control"]}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

interface TextAreaProps
  extends Labelled, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "onChange" | "className"> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const TextArea = ({ error, help, label, onChange, optional, value, ...rest }: TextAreaProps) => (
  <Field label={label} help={help} error={error} {...(optional === undefined ? {} : { optional })}>
    {(ids) => (
      <textarea
        spellCheck={false}
        {...rest}
        {...ids}
        className={styles["control"]}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface SelectFieldProps<Value extends string> extends Labelled {
  readonly value: Value
  readonly choices: ReadonlyArray<Choice<Value>>
  readonly onChange: (value: Value) => void
}

/** The browser's own list: it works with every keyboard, screen reader and telephone. */
export const SelectField = <Value extends string>({
  choices,
  error,
  help,
  label,
  onChange,
  optional,
  value
}: SelectFieldProps<Value>) => (
  <Field label={label} help={help} error={error} {...(optional === undefined ? {} : { optional })}>
    {(ids) => (
      <select
        {...ids}
        className={styles["control"]}
        value={value}
        onChange={(event) => {
          const chosen = choices.find((_) => _.value === event.target.value)
          if (chosen !== undefined) onChange(chosen.value)
        }}
      >
        {choices.map(({ label, value }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface CheckFieldProps {
  readonly label: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

export const CheckField = ({ checked, disabled = false, label, onChange }: CheckFieldProps) => (
  <label className={styles["inline"]}>
    <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
)

interface CheckGroupProps {
  readonly legend: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  readonly children: ReactNode
}

/** Some of a few. */
export const CheckGroup = ({ children, error, help, legend }: CheckGroupProps) => (
  <fieldset className={styles["form"]}>
    <legend className={styles["label"]}>{legend}</legend>
    {error === undefined ? null : <p className={styles["error"]}>{error}</p>}
    {help === undefined ? null : <p className={styles["help"]}>{help}</p>}
    {children}
  </fieldset>
)

interface ChoiceFieldProps<Value extends string> {
  readonly legend: string
  readonly value: Value
  readonly choices: ReadonlyArray<Choice<Value> & { readonly help?: ReactNode }>
  readonly onChange: (value: Value) => void
}

/** One of a few, each with what it means. */
export const ChoiceField = <Value extends string>({ choices, legend, onChange, value }: ChoiceFieldProps<Value>) => {
  const name = useId()
  return (
    <fieldset className={styles["form"]}>
      <legend className={styles["label"]}>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles["inline"]}>
          <input type="radio" name={name} checked={choice.value === value} onChange={() => onChange(choice.value)} />
          <span>
            {choice.label}
            {choice.help === undefined ? null : <p className={styles["help"]}>{choice.help}</p>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Fields beside each other. */
export const Pair = ({ children }: { readonly children: ReactNode }) => <div className={styles["pair"]}>{children}</div>

/** The filters above a list. */
export const FilterBar = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles["bar"]} role="search">
    {children}
  </div>
)
